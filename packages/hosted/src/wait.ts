/**
 * A page that was opened before its session (decision 0064). The session arrives in the fragment of the address,
 * `#{id}?{search}/{secret}`. Changing the fragment doesn't load anything.
 */
import { htmlLanguage, type PageLanguage } from '@shared/languages.js';
import { FRAMED_BY, PAGE_LOOK, type PageLook } from '@shared/warm.js';
import type { PageSession } from '@shared/page.js';
import { markInline, prepare } from './begin.js';
import { REQUEST_TIMEOUT_MS, apiUrl, authorization } from './page-state.js';

/**
 * Takes the first session from the address and requests it with the origin that frames the page. If the response doesn't
 * clearly allow that origin, loads the session's own page instead, where the browser decides who may frame it.
 */
export function wait(win: Window): void {
  prepare(win);
  const { history, location } = win;
  const fromAddress = (): string[] => /^#([\w-]+(?:\?[^/]*)?)\/(.*)/.exec(location.hash) ?? [];

  // Loaded together with its session, for example after a crash, so there is nothing to wait for.
  const [, initial, initialSecret] = fromAddress();
  if (initial !== undefined) return location.replace(`${initial}#${initialSecret}`);

  // At the top level, there is no page that could send a session.
  if (win.parent === win) return;

  win.opened = new Promise((resolve) => {
    const take = (): void => {
      const [, address, secret] = fromAddress();
      if (address === undefined || secret === undefined) return;

      win.removeEventListener('hashchange', take);
      // Replace the address with that of the session's own page, also for reloads.
      history.replaceState({ secret }, '', address);
      markInline(win);
      show(win, secret).then(
        (isShown) => (isShown ? resolve() : location.reload()),
        () => location.reload(),
      );
    };
    win.addEventListener('hashchange', take);
  });
}

/** Requests the session and applies its business unit's appearance. Returns false if this page can't show it. */
async function show(win: Window, secret: string): Promise<boolean> {
  const { document, location } = win;
  const { content: framer } = document.querySelector('meta[name=allowed-origins]') as HTMLMetaElement;
  const response = await win.fetch(apiUrl(win, 'session') + location.search, {
    headers: { ...authorization(secret), [FRAMED_BY]: framer },
    cache: 'no-store',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const header = response.headers.get(PAGE_LOOK);
  if (!response.ok || header === null) return false;

  const body = (await response.json()) as { data: PageSession };
  const display = JSON.parse(header) as PageLook;
  if (htmlLanguage(display.language as PageLanguage) !== document.documentElement.lang) return false;
  if (!showBrand(document, body.data.business, display)) return false;

  applyDisplay(document, display);
  win.opening = Promise.resolve({ status: response.status, body });
  return true;
}

/** Shows the name and the logo. Returns false if this page's policy blocks the logo. */
function showBrand(document: Document, business: PageSession['business'], display: PageLook): boolean {
  const { name, logoShape, logoUrlDark } = business;
  const logoUrl = (display.scheme === 'dark' && business.logoUrl && logoUrlDark) || business.logoUrl;
  if (logoUrl !== undefined && /^http:/i.test(logoUrl)) return false;

  const brand = document.querySelector('.brand') as HTMLElement;
  const line = brand.querySelector('.brand-name') as Element;
  const flow = document.createElement('p');
  flow.className = 'brand-flow';
  flow.role = 'status';

  const isolated = document.createElement('bdi');
  isolated.textContent = name;
  line.replaceChildren(isolated);
  brand.append(flow);

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
  document.documentElement.dataset['legal'] = JSON.stringify(business);
  return true;
}

function applyDisplay({ documentElement: root, head }: Document, { scheme, style }: PageLook): void {
  root.style.cssText = style;
  if (scheme === undefined) return;
  root.dataset['scheme'] = scheme;
  (head.querySelector('meta[name=color-scheme]') as HTMLMetaElement).content = scheme;
}
