/**
 * A page that was opened before its session (decision 0064). The session comes in the fragment of the address, as it does
 * to any page: `#{id}?{search}/{secret}`. A change of fragment loads nothing.
 */
import { htmlLanguage, type PageLanguage } from '@shared/languages.js';
import { FRAMED_BY, PAGE_LOOK, type PageLook } from '@shared/warm.js';
import type { PageSession } from '@shared/page.js';
import { mark, markInline } from './begin.js';
import { ANSWERED_MS, apiUrl, authorization } from './page-api.js';

/**
 * Takes the first session that arrives in the address and requests it, naming the origin that frames the page. Unless
 * the response clearly allows it, the session's own page loads instead and the browser decides who may frame it.
 */
export function wait(own: Window): void {
  mark(own);
  const { history, location } = own;
  const fromAddress = (): string[] => /^#([\w-]+(?:\?[^/]*)?)\/(.*)/.exec(location.hash) ?? [];

  // Loaded together with its session, as after a crash: warming saved no time.
  const [, early, itsSecret] = fromAddress();
  if (early !== undefined) return location.replace(`${early}#${itsSecret}`);

  // At the top level, no page can send a session.
  if (own.parent === own) return;

  own.begun = new Promise((resolve) => {
    const take = (): void => {
      const [, address, secret] = fromAddress();
      if (address === undefined || secret === undefined) return;

      own.removeEventListener('hashchange', take);
      // The address of the session's own page, for a reload too.
      history.replaceState({ secret }, '', address);
      markInline(own);
      show(own, secret).then(
        (isShown) => (isShown ? resolve() : location.reload()),
        () => location.reload(),
      );
    };
    own.addEventListener('hashchange', take);
  });
}

/** Requests the session and applies its business unit's appearance; false if this page can't show it. */
async function show(own: Window, secret: string): Promise<boolean> {
  const { document, location } = own;
  const { content: framer } = document.querySelector('meta[name=allowed-origins]') as HTMLMetaElement;
  const answer = await own.fetch(apiUrl(own, 'session') + location.search, {
    headers: { ...authorization(secret), [FRAMED_BY]: framer },
    cache: 'no-store',
    signal: AbortSignal.timeout(ANSWERED_MS),
  });
  const header = answer.headers.get(PAGE_LOOK);
  if (!answer.ok || header === null) return false;

  const body = (await answer.json()) as { data: PageSession };
  const look = JSON.parse(header) as PageLook;
  if (htmlLanguage(look.language as PageLanguage) !== document.documentElement.lang) return false;
  if (!showBrand(document, body.data.business, look)) return false;

  showLook(document, look);
  own.opening = Promise.resolve({ status: answer.status, body });
  return true;
}

/** Shows the name and the logo; false for a logo that this page's policy doesn't allow. */
function showBrand(document: Document, business: PageSession['business'], look: PageLook): boolean {
  const { name, logoShape, logoUrlDark } = business;
  const logoUrl = (look.scheme === 'dark' && business.logoUrl && logoUrlDark) || business.logoUrl;
  if (logoUrl !== undefined && /^http:/i.test(logoUrl)) return false;

  const brand = document.querySelector('.brand') as HTMLElement;
  const line = brand.querySelector('.brand-name') as Element;
  const flow = document.createElement('p');
  flow.className = 'brand-flow';
  flow.role = 'status';
  flow.textContent = document.title;

  const isolated = document.createElement('bdi');
  isolated.textContent = name;
  line.replaceChildren(isolated);
  line.after(flow);

  if (logoUrl !== undefined) {
    const logo = document.createElement('img');
    logo.className = 'brand-logo';
    logo.alt = '';
    logo.src = logoUrl;
    brand.prepend(logo);
    if (logoShape === 'wordmark') {
      brand.dataset['logo'] = logoShape;
      logo.alt = name;
      logo.ariaHidden = 'true';
    }
  }

  document.title += ` · ${name}`;
  return true;
}

function showLook({ documentElement: root, head }: Document, { scheme, style }: PageLook): void {
  root.style.cssText = style;
  if (scheme === undefined) return;
  root.dataset['scheme'] = scheme;
  (head.querySelector('meta[name=color-scheme]') as HTMLMetaElement).content = scheme;
}
