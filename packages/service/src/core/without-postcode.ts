/** Countries and regions without postcodes. Pages don't ask for one, and the service stores none. */
const WITHOUT_POSTCODE: ReadonlySet<string> = new Set(
  [
    'AE AG AO AW BF BI BJ BO BQ BS BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GM GQ GY HK KI KM KN KP ML MO MW NR',
    'NU QA RW SB SC SR ST SX SY TD TG TK TL TO TV UG VU YE ZW',
  ].flatMap((line) => line.split(' ')),
);

export function hasPostcode(country: string): boolean {
  return !WITHOUT_POSTCODE.has(country);
}
