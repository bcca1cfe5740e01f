/** Finds numbers that JSON can write and a double cannot hold, before they are silently others. */

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;
/** Fifteen digits always survive: a text without more of them, an exponent or a negative zero need not be read. */
const SUSPECT = /[\d.]{16}|\d[eE]|(?:^|[[:,\s])-0/;

interface Place {
  /** The key or index that is being read. */
  at: string | number;
  /** An object's string is its key until the colon. */
  isKey: boolean;
}

/**
 * Paths, such as `CustomMeta.order[2].total`, of numbers whose value is not that of the double that they become.
 * @param json valid JSON
 */
export function inexactNumbers(json: string): string[] {
  if (!SUSPECT.test(json)) return [];
  const found: string[] = [];
  const places: Place[] = [];
  for (const [token] of json.matchAll(TOKEN)) {
    const place = places.at(-1);
    if (token === '{') places.push({ at: '', isKey: true });
    else if (token === '[') places.push({ at: 0, isKey: false });
    else if (token === '}' || token === ']') places.pop();
    else if (token === ':') (place as Place).isKey = false;
    else if (token === ',') step(place as Place);
    else if (token.startsWith('"')) {
      if (place?.isKey === true) place.at = JSON.parse(token) as string;
    } else if (!isExact(token)) found.push(pathOf(places));
  }
  return found;
}

function step(place: Place): void {
  if (typeof place.at === 'number') place.at += 1;
  else place.isKey = true;
}

function isExact(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && decimal(text) === decimal(String(value));
}

/** One spelling for each value: sign, digits without zeros at either end, exponent. */
function decimal(text: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/0+$/, '');
  const zeros = whole.length + part.length - digits.length;
  const significant = digits.replace(/^0+/, '');
  return significant === '' ? `${sign}0` : `${sign}${significant}e${Number(exponent) - part.length + zeros}`;
}

function pathOf(places: readonly Place[]): string {
  return places
    .map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`))
    .join('')
    .replace(/^\./, '');
}
