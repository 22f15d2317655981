#include "tests/connectors/ms_file.h"

#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include <casacore/casa/Arrays/Matrix.h>
#include <casacore/casa/Arrays/Vector.h>
#include <casacore/casa/Logging/LogSink.h>
#include <casacore/casa/Logging/NullLogSink.h>
#include <casacore/msfits/MSFits/MSFitsInput.h>
#include <casacore/tables/Tables/ArrColDesc.h>
#include <casacore/tables/Tables/ArrayColumn.h>
#include <casacore/tables/Tables/ScaColDesc.h>
#include <casacore/tables/Tables/ScalarColumn.h>
#include <casacore/tables/Tables/SetupNewTab.h>
#include <casacore/tables/Tables/Table.h>
#include <casacore/tables/Tables/TableDesc.h>
#include <casacore/tables/Tables/TableRecord.h>

using namespace casacore;

namespace {

const size_t channels_of[MS_WINDOWS] = {3, 2};
const size_t pols_of[MS_WINDOWS] = {2, 4};

template <typename F> bool guarded(char *why, F run) {
    try {
        run();
        return true;
    } catch (const std::exception &e) {
        std::snprintf(why, 400, "%s", e.what());
    }
    return false;
}

Table made(const std::string &path, const TableDesc &desc, rownr_t rows) {
    SetupNewTable setup(path, desc, Table::New);
    return Table(setup, rows);
}

template <typename T> void scalars(TableDesc &desc, std::initializer_list<const char *> names) {
    for (const char *name : names) desc.addColumn(ScalarColumnDesc<T>(name));
}

template <typename T> void arrays(TableDesc &desc, std::initializer_list<const char *> names) {
    for (const char *name : names) desc.addColumn(ArrayColumnDesc<T>(name));
}

Table windows(const std::string &path) {
    TableDesc desc;
    arrays<Double>(desc, {"CHAN_FREQ", "CHAN_WIDTH"});
    Table t = made(path, desc, MS_WINDOWS);
    for (size_t w = 0; w < MS_WINDOWS; w++) {
        Vector<Double> frequency(channels_of[w]);
        for (size_t c = 0; c < channels_of[w]; c++)
            frequency[c] = ms_frequency(static_cast<int>(w), static_cast<int>(c));
        ArrayColumn<Double>(t, "CHAN_FREQ").put(w, frequency);
        ArrayColumn<Double>(t, "CHAN_WIDTH").put(w, Vector<Double>(channels_of[w], -2e6));
    }
    return t;
}

Table polarisations(const std::string &path, const ms_look &look) {
    TableDesc desc;
    arrays<Int>(desc, {"CORR_TYPE"});
    Table t = made(path, desc, 3);
    Vector<Int> linear(2), circular(4), crossed(2);
    linear[0] = look.code != 0 ? look.code : 9;
    linear[1] = 12;
    crossed[0] = 10;
    crossed[1] = 11;
    for (size_t p = 0; p < 4; p++) circular[p] = static_cast<Int>(5 + p);
    ArrayColumn<Int> codes(t, "CORR_TYPE");
    codes.put(0, linear);
    codes.put(1, circular);
    codes.put(2, crossed);
    return t;
}

/* 0 and 2 have window 0, 1 has window 1. */
Table descriptions(const std::string &path, const ms_look &look) {
    TableDesc desc;
    scalars<Int>(desc, {"SPECTRAL_WINDOW_ID", "POLARIZATION_ID"});
    Table t = made(path, desc, 3);
    ScalarColumn<Int> window(t, "SPECTRAL_WINDOW_ID"), pol(t, "POLARIZATION_ID");
    for (rownr_t d = 0; d < 3; d++) {
        window.put(d, d == 1 ? 1 : 0);
        pol.put(d, d == 1 ? 1 : d == 2 && look.mixed_pols ? 2 : 0);
    }
    return t;
}

Table fields(const std::string &path, const ms_look &look) {
    TableDesc desc;
    scalars<String>(desc, {"NAME"});
    arrays<Double>(desc, {"PHASE_DIR"});
    if (look.frame_by_row) scalars<Int>(desc, {"PhaseDir_Ref"});
    Table t = made(path, desc, 2);
    TableRecord about;
    about.define("type", "direction");
    if (look.frame_by_row) {
        Vector<uInt> codes(3);
        Vector<String> types(3);
        for (uInt i = 0; i < 3; i++) codes[i] = 10 * i;
        types[0] = "J2000";
        types[1] = "B1950";
        types[2] = "AZEL";
        about.define("VarRefCol", "PhaseDir_Ref");
        about.define("TabRefCodes", codes);
        about.define("TabRefTypes", types);
    } else {
        about.define("Ref", look.frame != nullptr ? look.frame : "J2000");
    }
    TableColumn(t, "PHASE_DIR").rwKeywordSet().defineRecord("MEASINFO", about);
    for (rownr_t f = 0; f < 2; f++) {
        Matrix<Double> direction(2, 1);
        direction(0, 0) = f == 0 ? -3.0 : 1.5;
        direction(1, 0) = 0.25;
        ArrayColumn<Double>(t, "PHASE_DIR").put(f, direction);
        ScalarColumn<String>(t, "NAME").put(f, f == 0 ? "M 87" : "Cas A");
        if (look.frame_by_row) ScalarColumn<Int>(t, "PhaseDir_Ref").put(f, f == 0 ? 10 : 20);
    }
    return t;
}

Table observation(const std::string &path) {
    TableDesc desc;
    scalars<String>(desc, {"TELESCOPE_NAME"});
    Table t = made(path, desc, 1);
    ScalarColumn<String>(t, "TELESCOPE_NAME").put(0, "VLBA");
    return t;
}

template <typename T> Matrix<T> data_of(int64_t row, size_t channels, size_t pols, double more) {
    Matrix<T> m(pols, channels);
    for (size_t i = 0; i < channels * pols; i++) {
        const int cell = static_cast<int>(i);
        using part = typename T::value_type;
        m(i % pols, i / pols) =
            T(static_cast<part>(ms_re(row, cell) + more), static_cast<part>(ms_im(row, cell)));
    }
    return m;
}

bool has(const Table &t, const char *column) {
    return t.tableDesc().isColumn(column);
}

void put_row(Table &t, const ms_look &look, rownr_t row) {
    const auto r = static_cast<int64_t>(row);
    const int w = ms_window_of(&look, r);
    const size_t channels = channels_of[w], pols = pols_of[w];
    Vector<Double> uvw(3);
    Matrix<Bool> flag(pols, channels);
    Matrix<Float> spectrum(pols, channels);
    Vector<Float> weight(pols);
    for (size_t k = 0; k < 3; k++) uvw[k] = ms_uvw(r, static_cast<int>(k));
    for (size_t i = 0; i < channels * pols; i++) {
        const int cell = static_cast<int>(i);
        flag(i % pols, i / pols) = ms_flag(r, cell);
        spectrum(i % pols, i / pols) = ms_spectrum(r, cell);
        weight[i % pols] = ms_weight(r, cell % static_cast<int>(pols));
    }
    if (has(t, "UVW")) ArrayColumn<Double>(t, "UVW").put(row, uvw);
    if (has(t, "FLAG")) ArrayColumn<Bool>(t, "FLAG").put(row, flag);
    if (has(t, "WEIGHT")) ArrayColumn<Float>(t, "WEIGHT").put(row, weight);
    if (look.has_spectrum) ArrayColumn<Float>(t, "WEIGHT_SPECTRUM").put(row, spectrum);
    if (has(t, "DATA") && look.is_double)
        ArrayColumn<DComplex>(t, "DATA").put(row, data_of<DComplex>(r, channels, pols, 0));
    else if (has(t, "DATA"))
        ArrayColumn<Complex>(t, "DATA").put(row, data_of<Complex>(r, channels, pols, 0));
    if (look.has_corrected)
        ArrayColumn<Complex>(t, "CORRECTED_DATA")
            .put(row, data_of<Complex>(r, channels, pols, 1000));
    ScalarColumn<Int>(t, "ANTENNA1").put(row, static_cast<Int>(r));
    ScalarColumn<Int>(t, "ANTENNA2").put(row, static_cast<Int>(r + 100));
    ScalarColumn<Int>(t, "FIELD_ID").put(row, ms_field_of(&look, r));
    ScalarColumn<Int>(t, "DATA_DESC_ID").put(row, w == 1 ? 1 : r % 6 < 3 ? 0 : 2);
    ScalarColumn<Bool>(t, "FLAG_ROW").put(row, ms_flag_row(r));
    ScalarColumn<Double>(t, "TIME").put(row, ms_time(r));
}

void write(const std::string &path, const ms_look &look) {
    TableDesc desc;
    arrays<Double>(desc, {"UVW"});
    arrays<Bool>(desc, {"FLAG"});
    arrays<Float>(desc, {"WEIGHT"});
    if (look.has_spectrum) arrays<Float>(desc, {"WEIGHT_SPECTRUM"});
    if (look.is_double)
        arrays<DComplex>(desc, {"DATA"});
    else
        arrays<Complex>(desc, {"DATA"});
    if (look.has_corrected) arrays<Complex>(desc, {"CORRECTED_DATA"});
    scalars<Int>(desc, {"ANTENNA1", "ANTENNA2", "FIELD_ID", "DATA_DESC_ID"});
    scalars<Bool>(desc, {"FLAG_ROW"});
    scalars<Double>(desc, {"TIME"});
    if (look.without != nullptr) desc.removeColumn(look.without);
    Table t = made(path, desc, look.no_rows ? 0 : MS_ROWS);
    t.tableInfo().setType("Measurement Set");
    TableRecord &about = t.rwKeywordSet();
    about.defineTable("SPECTRAL_WINDOW", windows(path + "/SPECTRAL_WINDOW"));
    about.defineTable("POLARIZATION", polarisations(path + "/POLARIZATION", look));
    about.defineTable("DATA_DESCRIPTION", descriptions(path + "/DATA_DESCRIPTION", look));
    about.defineTable("FIELD", fields(path + "/FIELD", look));
    about.defineTable("OBSERVATION", observation(path + "/OBSERVATION"));
    for (rownr_t r = 0; r < t.nrow(); r++) put_row(t, look, r);
    t.flush(true, true);
}

} // namespace

int ms_window_of(const ms_look *look, int64_t row) {
    return !look->one_window && row % 3 == 1;
}

int ms_field_of(const ms_look *look, int64_t row) {
    return look->one_field ? 0 : static_cast<int>(row % 2);
}

double ms_uvw(int64_t row, int k) {
    return 1e3 * static_cast<double>(row) - 400.25 * k;
}

double ms_re(int64_t row, int cell) {
    return static_cast<double>(row * 37 % 101 - 50 + 7 * cell);
}

double ms_im(int64_t row, int cell) {
    return static_cast<double>(row * 53 % 89 - 44 - 5 * cell);
}

float ms_weight(int64_t row, int pol) {
    return static_cast<float>(row % 5 + 1 + 2 * pol);
}

float ms_spectrum(int64_t row, int cell) {
    return static_cast<float>(row % 7 + 1 + 3 * cell);
}

bool ms_flag(int64_t row, int cell) {
    return (row + cell) % 9 == 4;
}

bool ms_flag_row(int64_t row) {
    return row % 10 == 9;
}

double ms_time(int64_t row) {
    return 58000.0 * 86400 + 10.0 * static_cast<double>(row);
}

double ms_frequency(int window, int channel) {
    return 1.4e9 + 1e8 * window + 2e6 * channel;
}

bool ms_file_write(const char *path, const ms_look *look, char why[400]) {
    return guarded(why, [&] { write(path, *look); });
}

bool ms_file_put(const char *path, const char *table, const char *column, int64_t row, int at,
                 int value, char why[400]) {
    return guarded(why, [&] {
        Table t(std::string(path) + "/" + table, Table::Update);
        const auto r = static_cast<rownr_t>(row);
        if (t.tableDesc().columnDesc(column).isArray()) {
            const Array<Int> cell = ArrayColumn<Int>(t, column)(r);
            Vector<Int> values(cell);
            values[static_cast<size_t>(at)] = value;
            ArrayColumn<Int>(t, column).put(r, values);
        } else {
            ScalarColumn<Int>(t, column).put(r, value);
        }
        t.flush(true, true);
    });
}

bool ms_file_convert(const char *uvfits, const char *path, char why[400]) {
    return guarded(why, [&] {
        LogSinkInterface *silent = new NullLogSink; /* it talks otherwise */
        LogSink::globalSink(silent);
        MSFitsInput input(path, uvfits);
        input.readFitsFile();
    });
}

bool ms_file_lock(const char *path, void **out, char why[400]) {
    return guarded(why, [&] {
        auto table =
            std::make_unique<Table>(path, TableLock(TableLock::PermanentLocking), Table::Update);
        *out = table.release();
    });
}

void ms_file_unlock(void *lock) {
    delete static_cast<Table *>(lock);
}
