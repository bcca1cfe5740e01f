import { Legal, type Business } from './legal.js';

/** The business unit's operator and links, from the HTML of a stand-alone page. */
export function businessOfPage(): Business {
  return JSON.parse(document.documentElement.dataset['legal'] ?? '{}') as Business;
}

/** The footer of a screen without a session. */
export function LegalOfPage() {
  return <Legal business={businessOfPage()} />;
}
