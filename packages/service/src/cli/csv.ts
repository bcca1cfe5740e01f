import { usageError } from './command.js';

/** Where a formula could begin, even after quotes, or after `;`, which separates cells in much of Europe. */
const FORMULA = /(?<=^|[;\t\n])(?=(?:[^\S\t\n]|")*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])|^(?=[\t\n])/g;

/** Control characters and direction marks, which terminals interpret. */
const UNSAFE = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

/** For the terminal. */
export function printable(text: string): string {
  return text.replace(UNSAFE, ' ');
}

/** RFC 4180. A quote before a formula keeps a spreadsheet from running it. */
export function csvLine(values: readonly (string | number | undefined)[]): string {
  const cells = values.map((value) => {
    const cell = typeof value === 'string' ? printable(value).replace(FORMULA, "'") : String(value ?? '');
    return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  return `${cells.join(',')}\n`;
}

export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Reads RFC 4180, without byte order mark; lines may also end with CR. A row without values is empty.
 * @throws ServiceError if a quote is not closed, or the text is not UTF-8
 */
export function csvRows(text: string): string[][] {
  if (text.includes('\0')) throw usageError('The CSV is not in UTF-8: save it as "CSV UTF-8".');

  const rows: string[][] = [];
  const rest = /([^",\r\n]*)(,|\r\n?|\n|$)/y;
  let row: string[] = [];
  rest.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  while (rest.lastIndex < text.length) {
    const quoted = quotedCell(text, rest.lastIndex);
    rest.lastIndex += quoted.length;
    const [, plain, end] = rest.exec(text) ?? [];
    if (plain === undefined || (quoted !== '' && plain !== ''))
      throw usageError(`The CSV has a stray quote in line ${rows.length + 1}.`);

    row.push(quoted === '' ? plain : quoted.slice(1, -1).replaceAll('""', '"'));
    if (end === ',' && rest.lastIndex < text.length) continue;
    rows.push(row.some((value) => value !== '') ? row : []);
    row = [];
  }
  return rows;
}

/** The cell with its quotes, or empty. A regular expression would overflow its stack on a long cell. */
function quotedCell(text: string, start: number): string {
  if (text[start] !== '"') return '';

  let end = text.indexOf('"', start + 1);
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return text.slice(start, end + 1);
}
