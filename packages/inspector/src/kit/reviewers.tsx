/** Who has reviewed the texts of each language. */
import type { About } from '@shared/inspector.js';
import { useData } from '../use-data.js';
import { Facts, Panel } from './parts.js';

const NAMES = new Intl.DisplayNames('en', { type: 'language' });
const NOBODY = 'nobody yet';

export function Reviewers(): preact.JSX.Element | null {
  const { value: about } = useData<About>('/about');
  const rows = about?.languages.map(({ language, reviewedBy }) => [
    `${NAMES.of(language)} (${language})`,
    reviewedBy ?? NOBODY,
  ]);
  return rows ? (
    <Panel title="Languages and who has reviewed them">
      <Facts facts={Object.fromEntries(rows)} />
    </Panel>
  ) : null;
}

export function ReviewedLanguage({ language }: { language: string }): preact.JSX.Element {
  const { value: about } = useData<About>('/about');
  const reviewedBy = about?.languages.find((each) => each.language === language)?.reviewedBy ?? NOBODY;
  return (
    <>
      <code>{language}</code> reviewed by {reviewedBy}
    </>
  );
}
