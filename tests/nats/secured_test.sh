#!/bin/sh
# Streams of messages on servers that do not let everybody in: TLS, also with certificates of clients, tokens, nkeys, credentials. With the right ones a run reads and writes what a client finds there that has nothing of wadi
# (tests/jet_messages.c); with wrong ones, or none, it is refused before it begins, and the message has no secret.
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/streams.sh"
cat >bytes.wadi <<'END'
program bytes
stream_in s : seq(u8[?])
stream_out "out" s
END
touch said

# serve_with LINES: a server with these lines in its configuration, instead of the last one
nats=
serve_with() {
    [ -z "$nats" ] || { kill -9 "$nats"; wait "$nats" 2>/dev/null; }
    rm -rf store server.log
    printf 'listen: "127.0.0.1:%s"\njetstream: {store_dir: "%s/store"}\n%s\n' "$port" "$dir" "$1" >config
    $server -c config -l server.log &
    nats=$!
    pids="$pids $nats"
    until_that ready
}
ready() { grep -q 'Server is ready' server.log 2>/dev/null || ! kill -0 "$nats" 2>/dev/null; }
run() { patient "$wadi" run "$@"; }
# passes HOST SETTINGS: a run goes from one stream to another
passes() {
    jm make IN in 0
    jm make OUT out 0
    jm text in one two
    run bytes.wadi "s=@nats://$1:$port/IN?wait=20&$2" "out=@nats://$1:$port/OUT?as=lines&wait=20&$2" --state "state$n" || wrong "$1 $2: $(cat said)"
    [ "$(jm dump OUT out | tr '\n' ' ')" = 'one two ' ] || wrong "$1 $2: $(jm dump OUT out)"
    says said 'exactly once'
    n=$((n + 1))
}
n=0
# refused HOST SETTINGS WORDS: neither as a source nor as a sink
refused() {
    "$wadi" run bytes.wadi "s=@nats://$1:$port/IN?wait=1&$2" >/dev/null 2>said && wrong "it reads: $1 $2"
    says said "$3"
    "$wadi" run bytes.wadi s=3:@raw:in.raw "out=@nats://$1:$port/OUT?wait=1&$2" 2>said && wrong "it writes: $1 $2"
    says said "$3"
    grep -q 'sesame\|SUA\|eyJ' said && wrong "a secret: $(cat said)"
}
printf 'abc' >in.raw

# ---- a token ----
echo 'open sesame 4711' >token
echo 'open sesame 4712' >wrong.token
serve_with 'authorization: {token: "open sesame 4711"}'
export JET_TOKEN='open sesame 4711'
passes 127.0.0.1 token=token
refused 127.0.0.1 token=wrong.token 'there is no connection'
refused 127.0.0.1 token=none.token 'none.token'
refused 127.0.0.1 tls=no 'there is no connection'
unset JET_TOKEN

# ---- an nkey: a pair that the documentation of NATS prints; the client has a password ----
echo SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY >me.nk
echo SUAIT4ULOSVHDJZAC3JRAIIX6PKAWSE65ARZX4RKJQYU2SYYGOXJTKP6LM >wrong.nk
serve_with 'authorization: {users: [{nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4}, {user: plain, password: plain}]}'
export JET_USER=plain:plain
passes 127.0.0.1 nkey=me.nk
refused 127.0.0.1 nkey=wrong.nk 'there is no connection'
refused 127.0.0.1 nkey=token "seed of a user's nkey"
unset JET_USER

# ---- credentials of an account of an operator; made for this test alone ----
cat >me.creds <<'END'
-----BEGIN NATS USER JWT-----
eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6IkFDRUxQNzdIWU9LUjYzRDdENlc3WUlPQlk2WFJKT0xFTVdRUFAyTjZCWVRBVExFU1E1TlhKT0pBIiwibmFtZSI6IlUiLCJzdWIiOiJVQlpBUU5URklJMk9ERFo3Q0hJVUxORFg2NERIM1A3S1k0VEpTTkVHTVNPUEtRTE9VVEdCR1lZNCIsIm5hdHMiOnsic3VicyI6LTEsImRhdGEiOi0xLCJwYXlsb2FkIjotMSwidHlwZSI6InVzZXIiLCJ2ZXJzaW9uIjoyfSwianRpIjoiTEw2WkdVN1NJQ1MyVVVSWUFZNUUzN1FBWkY3WTdLVkVJVkRCMlpZSFo1QlRaSDJLT1VGUSJ9.VkakwLv94nl9AaDOBWCH6TldBhlWIVjm1XaKCzKbrGhj_LBsOMV60wQfV1pOx7mpCbbNy-BPUeH672SgKD4GDg
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
SUAIT4ULOSVHDJZAC3JRAIIX6PKAWSE65ARZX4RKJQYU2SYYGOXJTKP6LM
------END USER NKEY SEED------
END
sed 's/eyJpYXQi/eyJpYXQj/' me.creds >wrong.creds
serve_with 'operator: eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6Ik9CVURCUzROTjRGTkg3U1dSTVdSUTdMNUpON0JWQkNMQVVMUDdHUVZVRTZSR01ZR1pYMkNMR1VaIiwibmFtZSI6Ik8iLCJzdWIiOiJPQlVEQlM0Tk40Rk5IN1NXUk1XUlE3TDVKTjdCVkJDTEFVTFA3R1FWVUU2UkdNWUdaWDJDTEdVWiIsIm5hdHMiOnsidHlwZSI6Im9wZXJhdG9yIiwidmVyc2lvbiI6Miwic3lzdGVtX2FjY291bnQiOiJBRDZQU1FNQlhXSlZFWE1NTkIzNldPR0ROMjRYVjZVR1gzTUlXSUFWSkVONE9KQ0xUWE8zMzVJUCJ9LCJqdGkiOiI0S1dRT1NSTkFGSUJUS0pUQk5VM0I0U05RREZCT1RFSlJSN0dRWUFWWjZHREhaTEIyQUdBIn0.QhJ5hpsYM2IKfeovNS96Vpm9cN64nwIrppQR7TAVOfxSj3c1UMpth3v4T8qTiKgOuZ5fIHmvFC_qmgyYQ8DyAQ
system_account: AD6PSQMBXWJVEXMMNB36WOGDN24XV6UGX3MIWIAVJEN4OJCLTXO335IP
resolver: MEMORY
resolver_preload: {
AD6PSQMBXWJVEXMMNB36WOGDN24XV6UGX3MIWIAVJEN4OJCLTXO335IP: eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6Ik9CVURCUzROTjRGTkg3U1dSTVdSUTdMNUpON0JWQkNMQVVMUDdHUVZVRTZSR01ZR1pYMkNMR1VaIiwibmFtZSI6IlMiLCJzdWIiOiJBRDZQU1FNQlhXSlZFWE1NTkIzNldPR0ROMjRYVjZVR1gzTUlXSUFWSkVONE9KQ0xUWE8zMzVJUCIsIm5hdHMiOnsibGltaXRzIjp7InN1YnMiOi0xLCJkYXRhIjotMSwicGF5bG9hZCI6LTEsImltcG9ydHMiOi0xLCJleHBvcnRzIjotMSwid2lsZGNhcmRzIjp0cnVlLCJjb25uIjotMSwibGVhZiI6LTF9LCJ0eXBlIjoiYWNjb3VudCIsInZlcnNpb24iOjJ9LCJqdGkiOiIzVUhLT1BNSDVJVDVTTVU3WFJQU0ZENDJWUVVaRkoyN0RDRjVPT1ZWNUc1QTY1Vkk1NFZBIn0.We5UITuKQMfCanhAYZY7BDFEpHPur5588PxoocPEbgbt-Qk_KwMEexISpNj4Ksz_JW5Lb2LgFEOoInxn7IeyAw
ACELP77HYOKR63D7D6W7YIOBY6XRJOLEMWQPP2N6BYTATLESQ5NXJOJA: eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6Ik9CVURCUzROTjRGTkg3U1dSTVdSUTdMNUpON0JWQkNMQVVMUDdHUVZVRTZSR01ZR1pYMkNMR1VaIiwibmFtZSI6IkEiLCJzdWIiOiJBQ0VMUDc3SFlPS1I2M0Q3RDZXN1lJT0JZNlhSSk9MRU1XUVBQMk42QllUQVRMRVNRNU5YSk9KQSIsIm5hdHMiOnsibGltaXRzIjp7InN1YnMiOi0xLCJkYXRhIjotMSwicGF5bG9hZCI6LTEsImltcG9ydHMiOi0xLCJleHBvcnRzIjotMSwid2lsZGNhcmRzIjp0cnVlLCJjb25uIjotMSwibGVhZiI6LTEsIm1lbV9zdG9yYWdlIjotMSwiZGlza19zdG9yYWdlIjotMSwic3RyZWFtcyI6LTEsImNvbnN1bWVyIjotMX0sInR5cGUiOiJhY2NvdW50IiwidmVyc2lvbiI6Mn0sImp0aSI6IktBNjVSRlhIQ1BSWE4yWEZKWlVZTk9VSE9LN1BQTUozRkJTSlMyRTNaWTdBQUhTSkxaU0EifQ.d-hqSLFkXOQk5G3nAY6roG1Yx7-LetrqLlE8Y2E-aZyKvCtHtyCOnbcLwD0wsuJ7iM3F5ZXxJD1V9FQHU5E3Dg
}'
export JET_CREDS=me.creds
passes 127.0.0.1 creds=me.creds
refused 127.0.0.1 creds=wrong.creds 'there is no connection'
refused 127.0.0.1 creds=none.creds 'none.creds: there is no such file'
refused 127.0.0.1 creds=/dev/zero '/dev/zero: more than 65536 bytes'
unset JET_CREDS

# ---- TLS: an authority, and a certificate that it has signed for localhost; another authority ----
certificates() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" -keyout "$1.key" -out "$1.pem" &&
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout "$1-own.key" -out "$1.csr" &&
        printf 'subjectAltName=DNS:localhost' >"$1.ext" &&
        openssl x509 -req -in "$1.csr" -CA "$1.pem" -CAkey "$1.key" -CAcreateserial -days 2 -extfile "$1.ext" -out "$1-own.pem"
}
if { certificates right && certificates other; } >/dev/null 2>&1; then
    serve_with "tls: {cert_file: \"$dir/right-own.pem\", key_file: \"$dir/right-own.key\"}
authorization: {token: \"open sesame 4711\"}"
    export JET_CA=right.pem JET_TOKEN='open sesame 4711'
    passes localhost "ca=right.pem&token=token"
    refused localhost "ca=other.pem&token=token" 'there is no connection'
    refused localhost "tls=yes&token=token" 'there is no connection'
    refused 127.0.0.1 "ca=right.pem&token=token" 'there is no connection' # the certificate is of another host
    refused localhost token=token 'there is no connection'
    refused localhost ca=right.pem 'there is no connection'
    unset JET_TOKEN
    serve_with "tls: {cert_file: \"$dir/right-own.pem\", key_file: \"$dir/right-own.key\", ca_file: \"$dir/right.pem\", verify: true}"
    export JET_CERT=right-own.pem JET_KEY=right-own.key
    passes localhost "ca=right.pem&cert=right-own.pem&key=right-own.key"
    refused localhost "ca=right.pem&cert=other-own.pem&key=other-own.key" 'there is no connection'
    refused localhost ca=right.pem 'there is no connection'
    refused localhost "ca=right.pem&cert=right-own.pem" 'cert and key must be given together'
else
    echo "TLS is left out: openssl makes no certificates here"
fi
exit $failed
