/* Reading the tables of a Measurement Set by casacore. casacore's class of Measurement Sets is not used: it adds writing, and
 * checks that refuse sets which other programs read. The columns are those of the Measurement Set definition, version 2
 * (casacore note 229). */
#include "modules/casacore/casacore_ms.h"

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <casacore/casa/Arrays/Array.h>
#include <casacore/casa/Arrays/ArrayLogical.h>
#include <casacore/casa/Arrays/Vector.h>
#include <casacore/casa/version.h>
#include <casacore/measures/Measures/MDirection.h>
#include <casacore/tables/Tables/ArrayColumn.h>
#include <casacore/tables/Tables/RefRows.h>
#include <casacore/tables/Tables/ScalarColumn.h>
#include <casacore/tables/Tables/Table.h>
#include <casacore/tables/Tables/TableColumn.h>
#include <casacore/tables/Tables/TableRecord.h>

using casacore::Array;
using casacore::ArrayColumn;
using casacore::Bool;
using casacore::Complex;
using casacore::DComplex;
using casacore::Double;
using casacore::Float;
using casacore::Int;
using casacore::IPosition;
using casacore::RefRows;
using casacore::rownr_t;
using casacore::ScalarColumn;
using casacore::Slicer;
using casacore::String;
using casacore::Table;
using casacore::TableColumn;
using casacore::TableLock;
using casacore::Vector;

/* C code sees only the name of this type. */
struct wadi_ms {
    Table main, descriptions, windows, polarisations, fields;
    std::string telescope;
    /* lent by the functions that describe rows */
    std::vector<double> frequency;
    std::vector<int32_t> codes;
    std::string field_name;
    /* the columns from which rows are read */
    std::string column;
    bool is_double = false, has_spectrum = false;
    int64_t channels = 0, pols = 0;
};

namespace {

/* Runs code that may throw. */
template <typename F> bool guarded(char *why, F run) {
    try {
        return run();
    } catch (const std::exception &e) {
        std::snprintf(why, WADI_MS_WHY, "%s", e.what());
    } catch (...) {
        std::snprintf(why, WADI_MS_WHY, "casacore failed without a reason");
    }
    return false;
}

template <typename... A> bool fail(char *why, const char *format, A... args) {
    std::snprintf(why, WADI_MS_WHY, format, args...);
    return false;
}

Table subtable(const Table &main, const char *name) {
    const auto &about = main.keywordSet();
    if (about.isDefined(name)) {
        return about.asTable(name, TableLock(TableLock::UserNoReadLocking));
    }
    return Table(main.tableName() + "/" + name, TableLock(TableLock::UserNoReadLocking));
}

void open(wadi_ms &ms, const char *path) {
    ms.main = Table(path, TableLock(TableLock::UserNoReadLocking), Table::Old);
    ms.descriptions = subtable(ms.main, "DATA_DESCRIPTION");
    ms.windows = subtable(ms.main, "SPECTRAL_WINDOW");
    ms.polarisations = subtable(ms.main, "POLARIZATION");
    ms.fields = subtable(ms.main, "FIELD");
    const Table observation = subtable(ms.main, "OBSERVATION");
    if (observation.nrow() > 0) {
        ms.telescope = ScalarColumn<String>(observation, "TELESCOPE_NAME")(0);
    }
}

/* The first row with the same products. Sets that were joined from several have some products twice. */
int32_t first_equal(const Table &polarisations, rownr_t row) {
    const ArrayColumn<Int> codes(polarisations, "CORR_TYPE");
    const Array<Int> wanted = codes(row);
    rownr_t first = 0;
    for (; first < row; first++) {
        if (!codes.isDefined(first)) continue;
        const Array<Int> here = codes(first);
        if (here.shape().isEqual(wanted.shape()) && allEQ(here, wanted)) break;
    }
    return static_cast<int32_t>(first);
}

/* The frame of a direction in a row: one for the column, or a code in a column of its own. */
String frame_of(const Table &fields, rownr_t row) {
    const auto &about = TableColumn(fields, "PHASE_DIR").keywordSet();
    if (!about.isDefined("MEASINFO")) return "J2000";
    const auto &measure = about.subRecord("MEASINFO");
    if (!measure.isDefined("VarRefCol")) {
        return measure.isDefined("Ref") ? measure.asString("Ref") : String("J2000");
    }
    const Int code = ScalarColumn<Int>(fields, measure.asString("VarRefCol"))(row);
    if (measure.isDefined("TabRefCodes") && measure.isDefined("TabRefTypes")) {
        const Array<casacore::uInt> codes = measure.asArrayuInt("TabRefCodes");
        const Array<String> types = measure.asArrayString("TabRefTypes");
        const Vector<casacore::uInt> code_list(codes);
        const Vector<String> type_list(types);
        for (size_t i = 0; i < code_list.size() && i < type_list.size(); i++)
            if (static_cast<Int>(code_list[i]) == code) return type_list[i];
        return "";
    }
    return code == casacore::MDirection::J2000   ? "J2000"
           : code == casacore::MDirection::ICRS  ? "ICRS"
           : code == casacore::MDirection::B1950 ? "B1950"
                                                 : "";
}

/* The values of a column for some rows, one row after another: the last axis of casacore's arrays is the row. */
template <typename T> Array<T> cells(const Table &t, const char *column, const RefRows &rows) {
    return ArrayColumn<T>(t, column).getColumnCells(rows);
}

template <typename T>
bool check(const Array<T> &a, const char *column, size_t per_row, size_t n, char *why) {
    if (a.size() == per_row * n) return true;
    return fail(why, "%s has %zu values in %zu rows, expected %zu in each", column, a.size(), n,
                per_row);
}

template <typename T>
bool read_data(const wadi_ms &ms, const RefRows &rows, size_t n, double *to, char *why) {
    const Array<T> a = cells<T>(ms.main, ms.column.c_str(), rows);
    if (!check(a, ms.column.c_str(), static_cast<size_t>(ms.channels * ms.pols), n, why)) {
        return false;
    }
    size_t i = 0;
    for (const T &v : a) {
        to[i++] = static_cast<double>(v.real());
        to[i++] = static_cast<double>(v.imag());
    }
    return true;
}

bool read_weights(const wadi_ms &ms, const RefRows &rows, size_t n, float *to, char *why) {
    const char *column = ms.has_spectrum ? "WEIGHT_SPECTRUM" : "WEIGHT";
    const size_t channels = static_cast<size_t>(ms.channels), pols = static_cast<size_t>(ms.pols);
    const Array<Float> a = cells<Float>(ms.main, column, rows);
    if (!check(a, column, ms.has_spectrum ? channels * pols : pols, n, why)) return false;
    const std::vector<Float> w(a.begin(), a.end());
    for (size_t i = 0; i < n * channels * pols; i++)
        to[i] = w[ms.has_spectrum ? i : i / (channels * pols) * pols + i % pols];
    return true;
}

bool read_flags(const wadi_ms &ms, const RefRows &rows, size_t n, bool *to, char *why) {
    const size_t per_row = static_cast<size_t>(ms.channels * ms.pols);
    const Array<Bool> a = cells<Bool>(ms.main, "FLAG", rows);
    const Vector<Bool> whole = ScalarColumn<Bool>(ms.main, "FLAG_ROW").getColumnCells(rows);
    if (!check(a, "FLAG", per_row, n, why)) return false;
    size_t i = 0;
    for (const Bool flag : a) {
        to[i] = flag || whole[i / per_row];
        i++;
    }
    return true;
}

bool read_places(const wadi_ms &ms, const RefRows &rows, size_t n, const wadi_ms_rows &to,
                 char *why) {
    const Array<Double> uvw = cells<Double>(ms.main, "UVW", rows);
    if (!check(uvw, "UVW", 3, n, why)) return false;
    const Vector<Int> first = ScalarColumn<Int>(ms.main, "ANTENNA1").getColumnCells(rows);
    const Vector<Int> second = ScalarColumn<Int>(ms.main, "ANTENNA2").getColumnCells(rows);
    const Vector<Double> time = ScalarColumn<Double>(ms.main, "TIME").getColumnCells(rows);
    size_t i = 0;
    for (const Double v : uvw) to.uvw[i++] = v;
    for (i = 0; i < n; i++) {
        to.first[i] = first[i];
        to.second[i] = second[i];
        to.time[i] = time[i];
    }
    return true;
}

/* Fails with the names of the columns that could be read instead of the missing one. */
bool no_column(const wadi_ms &ms, const char *column, char *why) {
    std::string list;
    const auto names = ms.main.tableDesc().columnNames();
    for (const String &name : names) {
        const auto type = ms.main.tableDesc()[name].dataType();
        if (type != casacore::TpComplex && type != casacore::TpDComplex) continue;
        list += (list.empty() ? "" : ", ") + name;
    }
    return fail(why, "no column %s of complex numbers; there are: %s", column,
                list.empty() ? "none" : list.c_str());
}

} // namespace

const char *wadi_ms_library(void) {
    static const std::string text = std::string("casacore ") + casacore::getVersion();
    return text.c_str();
}

bool wadi_ms_open(const char *path, wadi_ms **out, char why[WADI_MS_WHY]) {
    return guarded(why, [&] {
        wadi_ms *ms = new wadi_ms;
        if (!guarded(why, [&] { return open(*ms, path), true; })) {
            delete ms;
            return false;
        }
        *out = ms;
        return true;
    });
}

void wadi_ms_close(wadi_ms *ms) {
    char why[WADI_MS_WHY];
    (void)guarded(why, [&] { return delete ms, true; });
}

int64_t wadi_ms_count(const wadi_ms *ms) {
    return static_cast<int64_t>(ms->main.nrow());
}

int32_t wadi_ms_descriptions(const wadi_ms *ms) {
    return static_cast<int32_t>(ms->descriptions.nrow());
}

const char *wadi_ms_telescope(const wadi_ms *ms) {
    return ms->telescope.c_str();
}

bool wadi_ms_kinds(wadi_ms *ms, int64_t first, int64_t n, int32_t *description, int32_t *field,
                   char why[WADI_MS_WHY]) {
    return guarded(why, [&] {
        const Slicer range(IPosition(1, first), IPosition(1, n));
        const Vector<Int> d = ScalarColumn<Int>(ms->main, "DATA_DESC_ID").getColumnRange(range);
        const Vector<Int> f = ScalarColumn<Int>(ms->main, "FIELD_ID").getColumnRange(range);
        for (size_t i = 0; i < static_cast<size_t>(n); i++) {
            description[i] = d[i];
            field[i] = f[i];
        }
        return true;
    });
}

bool wadi_ms_look_setup(wadi_ms *ms, int32_t description, wadi_ms_setup *out,
                        char why[WADI_MS_WHY]) {
    return guarded(why, [&] {
        const rownr_t row = static_cast<rownr_t>(description);
        const Int window = ScalarColumn<Int>(ms->descriptions, "SPECTRAL_WINDOW_ID")(row);
        const Int pol = ScalarColumn<Int>(ms->descriptions, "POLARIZATION_ID")(row);
        const rownr_t w = static_cast<rownr_t>(window), p = static_cast<rownr_t>(pol);
        const Array<Double> frequency = ArrayColumn<Double>(ms->windows, "CHAN_FREQ")(w);
        const Array<Double> width = ArrayColumn<Double>(ms->windows, "CHAN_WIDTH")(w);
        const Array<Int> codes = ArrayColumn<Int>(ms->polarisations, "CORR_TYPE")(p);
        ms->frequency.assign(frequency.begin(), frequency.end());
        ms->codes.assign(codes.begin(), codes.end());
        *out = wadi_ms_setup{window,
                             first_equal(ms->polarisations, p),
                             static_cast<int64_t>(ms->frequency.size()),
                             static_cast<int64_t>(ms->codes.size()),
                             ms->frequency.data(),
                             width.empty() ? 0 : std::fabs(*width.begin()),
                             ms->codes.data()};
        return true;
    });
}

bool wadi_ms_look_field(wadi_ms *ms, int32_t field, wadi_ms_field *out, char why[WADI_MS_WHY]) {
    return guarded(why, [&] {
        const rownr_t row = static_cast<rownr_t>(field);
        const Array<Double> direction = ArrayColumn<Double>(ms->fields, "PHASE_DIR")(row);
        const String frame = frame_of(ms->fields, row);
        const bool is_old = frame == "B1950";
        const bool is_fixed = is_old || frame == "J2000" || frame == "ICRS";
        const std::vector<double> place(direction.begin(), direction.end());
        if (place.size() < 2) return fail(why, "PHASE_DIR of field %d is empty", field);
        ms->field_name = ScalarColumn<String>(ms->fields, "NAME")(row);
        *out = wadi_ms_field{ms->field_name.c_str(), is_fixed ? place[0] : std::nan(""),
                             is_fixed ? place[1] : std::nan(""), is_old ? 1950.0 : 2000.0};
        return true;
    });
}

bool wadi_ms_choose(wadi_ms *ms, const char *column, int64_t row, int64_t channels, int64_t pols,
                    char why[WADI_MS_WHY]) {
    return guarded(why, [&] {
        const auto &about = ms->main.tableDesc();
        const rownr_t at = static_cast<rownr_t>(row);
        const IPosition shape(2, pols, channels);
        if (!about.isColumn(column)) return no_column(*ms, column, why);
        const auto type = about[column].dataType();
        if (type != casacore::TpComplex && type != casacore::TpDComplex) {
            return no_column(*ms, column, why);
        }
        const TableColumn data(ms->main, column);
        if (!data.isDefined(at) || !data.shape(at).isEqual(shape)) {
            const std::string found = data.isDefined(at) ? data.shape(at).toString() : "nothing";
            return fail(why,
                        "%s has %s in row %lld, where %lld polarisations of %lld channels belong",
                        column, found.c_str(), static_cast<long long>(row),
                        static_cast<long long>(pols), static_cast<long long>(channels));
        }
        ms->column = column;
        ms->is_double = type == casacore::TpDComplex;
        ms->channels = channels;
        ms->pols = pols;
        if (about.isColumn("WEIGHT_SPECTRUM")) {
            const TableColumn spectrum(ms->main, "WEIGHT_SPECTRUM");
            ms->has_spectrum = spectrum.isDefined(at) && spectrum.shape(at).isEqual(shape);
        }
        return true;
    });
}

bool wadi_ms_read(wadi_ms *ms, const int64_t *row, int64_t n, const wadi_ms_rows *to,
                  char why[WADI_MS_WHY]) {
    return guarded(why, [&] {
        const size_t count = static_cast<size_t>(n);
        Vector<rownr_t> numbers(count);
        for (size_t i = 0; i < count; i++) numbers[i] = static_cast<rownr_t>(row[i]);
        const RefRows rows(numbers, false, true); /* adjacent rows are read at once */
        return read_places(*ms, rows, count, *to, why) &&
               (ms->is_double ? read_data<DComplex>(*ms, rows, count, to->data, why)
                              : read_data<Complex>(*ms, rows, count, to->data, why)) &&
               read_weights(*ms, rows, count, to->weight, why) &&
               read_flags(*ms, rows, count, to->flag, why);
    });
}
