/** Includes full-width signs, which spreadsheets in East Asian locales treat alike. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

/** RFC 4180. A leading quote keeps a spreadsheet from running a cell as a formula. */
export function csvLine(values: readonly (string | number | undefined)[]): string {
  const cells = values.map((value) => {
    const cell = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value ?? '');
    return /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  return `${cells.join(',')}\n`;
}
