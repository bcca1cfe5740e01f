/** Who has reviewed the texts of each language. */
import type { About } from '@shared/inspector.js';
import { useData } from '../use-data.js';
import { Facts, Panel } from './parts.js';

const NAMES = new Intl.DisplayNames('en', { type: 'language' });

const reviewOf = (reviewer: string | null | undefined): string =>
  reviewer ? `Reviewed by ${reviewer}` : 'Not reviewed yet';

export function Reviewers(): preact.JSX.Element | null {
  const { value: about } = useData<About>('/about');
  if (about === undefined) return null;
  const languages = about.languages.map(({ language, reviewedBy }) => ({
    name: `${NAMES.of(language)} (${language})`,
    review: reviewOf(reviewedBy),
  }));
  const facts = languages.map(({ review }): [string, string] => [
    review,
    languages
      .filter((each) => each.review === review)
      .map(({ name }) => name)
      .join(', '),
  ]);
  return (
    <Panel title="Translations">
      <Facts facts={Object.fromEntries(facts)} />
    </Panel>
  );
}

export function ReviewedLanguage({ language }: { language: string }): preact.JSX.Element {
  const { value: about } = useData<About>('/about');
  const known = about?.languages.find((each) => each.language === language);
  return (
    <>
      {NAMES.of(language)}
      {known && ` (${reviewOf(known.reviewedBy).toLowerCase()})`}
    </>
  );
}
