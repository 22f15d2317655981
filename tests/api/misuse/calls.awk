# Reads the preprocessed public headers; writes a table of calls, for misuse.c: each function with NULL for each of its pointers in
# turn and for all of them, with handles of another program, with handles of none, and while no program is current.

# What may be NULL, and functions that only carry handles about: nothing is wrong before what they give is used.
BEGIN {
    RS = ";"
    split("err env options file extents wadi_program_create.name wadi_program_destroy.p wadi_program_use.p " \
          "wadi_exe_destroy.exe wadi_exe_warm.exe wadi_yield_flush.yield wadi_csr_fini.m wadi_log_set.fn wadi_run_destroy.run wadi_run_cancel.run wadi_run_drain.run wadi_run_pause.run wadi_run_resume.run wadi_watch_end.w wadi_watch_url.w wadi_run_release_state.run wadi_worker_leave.worker wadi_worker_stats_get.worker wadi_worker_stats_get.out wadi_worker_destroy.worker " \
          "wadi_run_stats_get.run wadi_run_stats_get.out wadi_sink_destroy.sink wadi_sink_sync.sink wadi_source_destroy.source " \
          "wadi_vis_close.v wadi_vis_about.v wadi_sink_memory_count.sink wadi_part_fixed.shape wadi_yield_array.shape " \
          "wadi_sink_fits.info wadi_edge_function.f wadi_edge_function_env.f wadi_ascending.key wadi_descending.key " \
          "wadi_foreign_remove.name wadi_exe_build.targets", list, " ")
    for (i in list) optional[list[i]] = 1
    split("wadi_ix0 wadi_ix1 wadi_ix2 wadi_ix3 wadi_ix4 wadi_consume wadi_fix wadi_exp_here wadi_acc_here wadi_seq_here " \
          "wadi_eat_here wadi_ix_here wadi_edge_constant", list, " ")
    for (i in list) plain[list[i]] = 1
}

function trim(s) {
    gsub(/^[ \n]+|[ \n]+$/, "", s)
    return s
}

function is_pointer(type) {
    return type ~ /\*$/ || type ~ /^wadi_[a-z0-9_]*fn[a-z0-9_]*$/
}

function is_handle(type) {
    return type ~ /^wadi_(exp|acc|seq|eat)$/
}

# Options are all zero; what is made goes to one place; all else has a macro in misuse.c.
function valid(type) {
    gsub(/const/, "", type)
    if (type ~ /_options *\*$/) {
        sub(/ *\*$/, "", type)
        return "(&(" trim(type) "){0})"
    }
    if (type ~ /^ *wadi_[a-z_]+ *\*\*$/) return "((void *)&place)"
    gsub(/\*/, "_p", type)
    gsub(/ /, "", type)
    return "valid_" type
}

# The call with every argument as it is in arg[1..n]; `rule` says what must come of it.
function emit(about, rule,    i, list, c) {
    for (i = 1; i <= n; i++) list = list (i > 1 ? ", " : "") arg[i]
    c = calls++
    if (result == "wadi_status")
        printf "static void call_%d(void) { note_status(%s(%s)); }\n", c, name, list
    else if (result == "void")
        printf "static void call_%d(void) { %s(%s); }\n", c, name, list
    else
        printf "static void call_%d(void) { (void)%s(%s); }\n", c, name, list
    rows = rows sprintf("    {\"%s(%s)\", call_%d, %s},\n", name, about, c, rule)
}

function all_valid(    i) {
    for (i = 1; i <= n; i++) arg[i] = valid(type[i])
}

{
    text = $0
    gsub(/__attribute__\(\([^)]*\)\)/, "", text)
    gsub(/_Pragma\("[^"]*"\)/, "", text)
    gsub(/#[^\n]*\n/, "", text)
    gsub(/[ \n]+/, " ", text)
    text = trim(text)
    if (text !~ /^[a-z][a-z0-9_ *]*[ *]wadi_[a-z0-9_]+\(.*\)$/ || text ~ /^typedef/) next
    open = index(text, "(")
    head = substr(text, 1, open - 1)
    match(head, /wadi_[a-z0-9_]+$/)
    name = substr(head, RSTART)
    result = trim(substr(head, 1, RSTART - 1))
    sub(/^extern /, "", result)
    if (name in seen) next
    seen[name] = 1
    print name > names
    n = split(substr(text, open + 1, length(text) - open - 1), part, ",")
    if (n == 1 && trim(part[1]) == "void") n = 0
    pointers = handles = 0
    for (i = 1; i <= n; i++) {
        p = trim(part[i])
        match(p, /[A-Za-z0-9_]+$/)
        called[i] = substr(p, RSTART)
        type[i] = trim(substr(p, 1, RSTART - 1))
        if (is_pointer(type[i])) pointers++
        if (is_handle(type[i])) handles++
    }
    language = result ~ /^wadi_(exp|acc|seq|eat|ix)$/ || name ~ /^wadi_(output|stream_out|stream_out_unordered)$/
    all_valid()
    emit("all well", "ANYTHING")
    for (i = 1; i <= n; i++) {
        if (!is_pointer(type[i])) continue
        all_valid()
        arg[i] = "NULL"
        free = called[i] in optional || (name "." called[i]) in optional
        emit(called[i] " NULL", free ? "ANYTHING" : "TOLD")
    }
    if (pointers > 1) {
        for (i = 1; i <= n; i++) arg[i] = is_pointer(type[i]) ? "NULL" : valid(type[i])
        emit("all NULL", "ANYTHING")
    }
    for (i = 1; i <= n; i++) {
        if (!is_handle(type[i])) continue
        all_valid()
        sub(/^valid/, "another", arg[i])
        emit(called[i] " of another program", (name in plain) ? "ANYTHING" : "TOLD")
        all_valid()
        arg[i] = "(" type[i] "){0}"
        emit(called[i] " zero", "ANYTHING")
    }
    if (language) {
        all_valid()
        emit("with no program", (name in plain) ? "ALONE" : "ALONE_TOLD")
    }
}

END {
    print "static const row rows[] = {\n" rows "};"
}
