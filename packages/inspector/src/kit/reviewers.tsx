/** Who has reviewed the texts of each language. */
import type { About } from '@shared/inspector.js';
import { useData } from '../use-data.js';
import { Facts, Panel } from './parts.js';

const NAMES = new Intl.DisplayNames('en', { type: 'language' });
const NOBODY = 'nobody yet';

export function Reviewers(): preact.JSX.Element | null {
  const { value: about } = useData<About>('/about');
  if (about === undefined) return null;
  const languages = about.languages.map(({ language, reviewedBy }) => ({
    name: `${NAMES.of(language)} (${language})`,
    reviewedBy: reviewedBy ?? NOBODY,
  }));
  const facts = languages.map(({ reviewedBy }): [string, string] => [
    reviewedBy,
    languages
      .filter((each) => each.reviewedBy === reviewedBy)
      .map(({ name }) => name)
      .join(', '),
  ]);
  return (
    <Panel title="Languages and who has reviewed them">
      <Facts facts={Object.fromEntries(facts)} />
    </Panel>
  );
}

export function ReviewedLanguage({ language }: { language: string }): preact.JSX.Element {
  const { value: about } = useData<About>('/about');
  const reviewedBy = about?.languages.find((each) => each.language === language)?.reviewedBy ?? NOBODY;
  return (
    <>
      <code>{language}</code>, reviewed by {reviewedBy}
    </>
  );
}
