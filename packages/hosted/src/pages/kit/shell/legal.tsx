/** The footer of each page: who runs the service, and legal links. */
import type { PageSession } from '@shared/page.js';
import { inert } from '@shared/inert.js';
import { webUrl } from '../design/web-url.js';
import { isolate } from '../format/locale.js';
import { t } from '../text/index.js';
import { Icon } from '../design/icons.js';

/** The operator and the business unit's links, from the HTML. */
export function legalOfPage(): Pick<PageSession['business'], 'operator' | 'links'> {
  return JSON.parse(document.documentElement.dataset['legal'] ?? '{}');
}

export function Legal() {
  const { operator, links = {} } = legalOfPage();
  const addresses = [
    [t.common.terms, links.terms],
    [t.common.privacyPolicy, links.privacy],
    [t.common.help, links.help],
  ] as const;
  const shown = addresses.flatMap(([label, address]) => {
    const href = webUrl(address);
    return href === null ? [] : [{ label, href }];
  });
  if (operator === undefined && shown.length === 0) return null;
  return (
    <footer class="legal">
      {operator !== undefined && <span>{t.common.operatedBy(isolate(inert(operator, 200)))}</span>}
      <span>
        {shown.map(({ label, href }) => (
          <a key={label} href={href} target="_blank" rel="noreferrer">
            {label}
          </a>
        ))}
      </span>
    </footer>
  );
}

export function Privacy({ text }: { text: string }) {
  return (
    <p class="privacy">
      <Icon name="lock" />
      <span>{text}</span>
    </p>
  );
}
