import { element, pageBody } from './dom.js';
import { DIALOG, styleModal, viewSheet } from './styles.js';
import type { ColorScheme } from '../../../service/src/shared/appearance.js';
import { directionOf } from '../../../service/src/shared/languages.js';
import { wordsOf } from './text.js';

/** `held`: the payer asked to close while a payment is in flight. */
export type ViewState = 'loading' | 'ready' | 'unreachable' | 'held';

/** Where a frame is shown. It knows nothing of sessions; what the payer does comes back through the callbacks. */
export interface View {
  /** What the frame is in. */
  readonly host: HTMLElement;
  /** Says what it says in the language of one of these tags. */
  speak(tags: readonly string[]): void;
  /** Puts it before the payer. */
  open(): void;
  /** Names the frame that is in its place and gives it its first height. */
  show(frame: HTMLIFrameElement): void;
  /** `words`: what is said where it is held. */
  setState(state: ViewState, words?: string): void;
  /** CSS px, of the frame's content. */
  resize(height: number): void;
  /** Scrolls the page until this part of the frame's content is in view, CSS px. */
  reveal(top: number, height: number): void;
  /** Moves the focus into the frame unless the payer has moved it already; whether it did. */
  focusFrame(): boolean;
  /** Takes the frame away and the offer to try again, and leaves the words. */
  giveUp(): void;
  /** Takes everything out of the page and gives the focus back. */
  remove(): void;
}

/** May be changed: who hears them comes later than a view that was made ahead. */
export interface ViewCallbacks {
  onClose: () => void;
  onRetry: () => void;
}

/** Height of a frame until its page reports its own, CSS px. The React region reserves as much. */
const FIRST_HEIGHT = 480;

export type Kind = 'payment' | 'other';

/**
 * An element in the page that a frame can be sent off from: what is around it is made while its page is on its way. In a
 * `<dialog>` that is not open yet, or in a container.
 */
export function placeIn(container: Element | undefined): HTMLElement {
  const host = element('div');
  if (container) {
    container.append(host);
    return host;
  }
  const dialog = element('dialog');
  // Whatever the page says of every dialog: one may wait here, unseen, to be opened.
  dialog.style.cssText = 'display:none!important';
  dialog.append(host);
  pageBody().append(dialog);
  return host;
}

/**
 * A modal `<dialog>`, or with a container a block in it, around a place. Dialog and frame stand in the page's own tree,
 * where whoever drives or reads the page finds one in the other; the words and buttons around the frame are in a shadow
 * root.
 */
export function createView(
  kind: Kind,
  container: Element | undefined,
  host: HTMLElement,
  scheme: ColorScheme,
  callbacks: ViewCallbacks,
): View {
  let { text } = wordsOf([]);
  const root = host.attachShadow({ mode: 'open' });
  // Its role is that of a status.
  const status = element('output');
  const body = element('section');
  // The status lies on the frame.
  body.append(element('slot'), status);
  let frame: HTMLIFrameElement | undefined;

  const setState = (state: ViewState, held = ''): void => {
    host.dataset['state'] = state;
    if (state === 'ready') return status.replaceChildren();
    const words = element('span');
    words.textContent = state === 'held' ? held : text[state];
    status.replaceChildren(words);
    if (state === 'unreachable') {
      const retry = element('button');
      retry.textContent = text.retry;
      retry.onclick = () => {
        outer.focus();
        callbacks.onRetry();
      };
      status.append(retry);
      if (outer.contains(document.activeElement)) retry.focus();
    }
  };
  const resize = (height: number): void => {
    frame?.style.setProperty('height', `${Math.ceil(height)}px`, 'important');
  };
  const outer = container ? host : (host.parentNode as HTMLDialogElement);
  const dialog = container ? null : createDialog(scheme, outer as HTMLDialogElement, root, callbacks);
  if (container) host.dataset['inline'] = '';
  root.adoptedStyleSheets = [viewSheet(scheme)];
  root.append(body);
  const speak = (tags: readonly string[]): void => {
    const words = wordsOf(tags);
    // As a rule the page speaks what was said already: to say it again would lay all out anew.
    if (outer.lang === words.lang) return;
    text = words.text;
    outer.lang = words.lang;
    outer.dir = directionOf(words.lang);
    dialog?.say(text[kind], text.close);
    if (frame) frame.title = text[kind];
  };

  return {
    host,
    speak,
    open: () => dialog?.open(),
    show: (next) => {
      frame = next;
      next.title = text[kind];
      resize(FIRST_HEIGHT);
    },
    setState,
    resize,
    reveal: (top, height) => {
      if (dialog) return;
      const part = element('i');
      part.style.cssText = `top:${top}px;height:${height}px`;
      root.append(part);
      part.scrollIntoView({ block: 'nearest' });
      part.remove();
    },
    focusFrame: () => {
      if (document.activeElement !== outer) return false;
      frame?.focus();
      return true;
    },
    giveUp: () => {
      frame?.remove();
      status.querySelector('button')?.remove();
      outer.focus();
    },
    remove: () => {
      dialog?.close();
      outer.remove();
    },
  };
}

interface Dialog {
  say(title: string, close: string): void;
  open(): void;
  close(): void;
}

function createDialog(
  scheme: ColorScheme,
  dialog: HTMLDialogElement,
  root: ShadowRoot,
  callbacks: ViewCallbacks,
): Dialog {
  const header = element('header');
  const heading = element('h2');
  dialog.tabIndex = -1;
  const button = element('button');
  button.onclick = () => callbacks.onClose();
  button.textContent = '×';
  header.append(heading, button);
  root.append(header);

  let closed = false;
  dialog.oncancel = (event) => {
    event.preventDefault();
    callbacks.onClose();
  };
  // Chromium closes at a second Escape with no `cancel` before it: only the flow decides when this closes.
  dialog.onclose = () => {
    if (!closed) dialog.showModal();
  };
  let unlock: (() => void) | undefined;
  let before: Element | null = null;
  return {
    say: (title, close) => {
      heading.textContent = dialog.ariaLabel = title;
      button.ariaLabel = close;
    },
    open: () => {
      before = document.activeElement;
      while (before?.shadowRoot?.activeElement) before = before.shadowRoot.activeElement;
      dialog.id = DIALOG;
      dialog.removeAttribute('style');
      unlock = styleModal(scheme);
      dialog.showModal();
      // A page that zooms itself would make of it more than its window holds. Not told by browsers before 2024 and Safari.
      const { currentCSSZoom: zoom } = dialog as { currentCSSZoom?: number };
      if (zoom && zoom !== 1) dialog.style.setProperty('zoom', `${1 / zoom}`, 'important');
      dialog.focus();
    },
    close: () => {
      closed = true;
      dialog.close();
      unlock?.();
      (before as HTMLElement | null)?.focus?.({ preventScroll: true });
    },
  };
}
