/** The frame around every screen: navigation, live status, and the result of the last action. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useAddress } from './address.js';
import { Toasts } from './kit/action.js';
import { useLiveState, type LiveState, useAbout } from './live.js';
import { Clock } from './screens/clock.js';
import { Faults } from './screens/faults.js';
import { Mail, Message } from './screens/mail.js';
import { Request } from './screens/request.js';
import { Sessions, Session } from './screens/sessions.js';
import { Timeline } from './screens/timeline.js';
import { Try } from './screens/try.js';
import { Webhooks, Webhook } from './screens/webhooks.js';
import { token } from './api.js';

interface Screen {
  name: string;
  link?: string;
  path: RegExp;
  draw: (id: string) => preact.JSX.Element;
}

const SCREENS: readonly Screen[] = [
  { name: 'Timeline', link: '/', path: /^\/$/, draw: () => <Timeline /> },
  { name: 'Sessions', link: '/sessions', path: /^\/sessions$/, draw: () => <Sessions /> },
  { name: 'Webhooks', link: '/webhooks', path: /^\/webhooks$/, draw: () => <Webhooks /> },
  { name: 'Mail', link: '/mail', path: /^\/mail$/, draw: () => <Mail /> },
  { name: 'Clock', link: '/clock', path: /^\/clock$/, draw: () => <Clock /> },
  { name: 'Faults', link: '/faults', path: /^\/faults$/, draw: () => <Faults /> },
  { name: 'Try', link: '/try', path: /^\/try$/, draw: () => <Try /> },
  { name: 'Request', path: /^\/requests\/([^/]+)$/, draw: (id) => <Request key={id} id={id} /> },
  { name: 'Session', path: /^\/sessions\/([^/]+)$/, draw: (id) => <Session key={id} id={id} /> },
  { name: 'Message', path: /^\/mail\/([^/]+)$/, draw: (id) => <Message key={id} id={id} /> },
  { name: 'Webhook', path: /^\/webhooks\/([^/]+)$/, draw: (id) => <Webhook key={id} id={id} /> },
];

const NOT_FOUND: Screen = {
  name: 'No such page',
  path: /$/,
  draw: () => <p class="nothing">There is no such page.</p>,
};

const LIVE: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost',
  refused: 'Refused',
};

const NO_TOKEN = 'Open the address that the service printed when it started. It ends in # and a token.';
const REFUSED = 'The service was restarted, or this address is old. Open the latest address that it printed.';

export function App(): preact.JSX.Element {
  const { pathname } = useAddress();
  const live = useLiveState();
  const heading = useRef<HTMLHeadingElement>(null);
  const shownRef = useRef(pathname);
  const { name, path, draw } = SCREENS.find(({ path }) => path.test(pathname)) ?? NOT_FOUND;
  useLayoutEffect(() => {
    document.title = `${name} · Inspector`;
    // Lets keyboard and screen-reader users continue from the new screen's heading.
    if (shownRef.current !== pathname) heading.current?.focus();
    shownRef.current = pathname;
  }, [pathname, name]);
  useEffect(() => keepFocus(() => heading.current), []);
  const isLocked = token() === '' || live === 'refused';
  return (
    <>
      <div class="bar">
        <a class="brand" href="/">
          Inspector
        </a>
        {!isLocked && <Environment />}
        <nav aria-label="Screens">
          {SCREENS.map(
            ({ name, link }) =>
              link && (
                <a key={link} href={link} aria-current={isWithin(pathname, link) ? 'page' : undefined}>
                  {name}
                </a>
              ),
          )}
        </nav>
        <span class={`live ${live}`} role="status">
          {LIVE[live]}
        </span>
      </div>
      <div class="screen">
        <h1 ref={heading} tabIndex={-1}>
          {isLocked ? 'Inspector' : name}
        </h1>
        {isLocked ? <p>{live === 'refused' ? REFUSED : NO_TOKEN}</p> : draw(path.exec(pathname)?.[1] ?? '')}
      </div>
      <Toasts />
    </>
  );
}

function Environment(): preact.JSX.Element | null {
  const about = useAbout();
  return about ? <span class="badge">{about.environment}</span> : null;
}

function isWithin(pathname: string, link: string): boolean {
  return link === '/'
    ? pathname === '/' || pathname.startsWith('/requests/')
    : `${pathname}/`.startsWith(`${link}/`);
}

/** Moves focus to the screen's heading when the focused element is removed, such as a pressed button. */
function keepFocus(heading: () => HTMLElement | null): () => void {
  let last: Element | null = null;
  const follow = (event: FocusEvent): void => {
    last = event.target instanceof Element ? event.target : null;
  };
  const gone = new MutationObserver(() => {
    if (last === null || last.isConnected || document.activeElement !== document.body) return;
    last = null;
    heading()?.focus();
  });
  addEventListener('focusin', follow);
  gone.observe(document.body, { childList: true, subtree: true });
  return () => {
    removeEventListener('focusin', follow);
    gone.disconnect();
  };
}
