import { detach, element, runAll } from './dom.js';
import { shieldEvents } from './shield.js';
import { DIALOG, styleModal, viewSheet } from './styles.js';
import type { ColorScheme } from '../../../service/src/shared/appearance.js';
import { directionOf, htmlLanguage } from '../../../service/src/shared/languages.js';
import { wordsOf } from './text.js';

/** `held`: the payer asked to close while a payment is in flight. */
export type ViewState = 'loading' | 'ready' | 'unreachable' | 'held';

/** Shows a frame. Doesn't know about sessions; reports the payer's actions through callbacks. */
export interface View {
  /** The parent of the frame. */
  readonly host: HTMLElement;
  /** Sets the language to the first of these tags that is supported. */
  speak(tags: readonly string[]): void;
  open(): void;
  /** Names the frame in its place and gives it its first height. */
  show(frame: HTMLIFrameElement): void;
  /** `words`: the message of `held`. */
  setState(state: ViewState, words?: string): void;
  /** Height of the frame's content, CSS px. */
  resize(height: number): void;
  /** Scrolls the page until this part of the frame's content is in view, CSS px. */
  reveal(top: number, height: number): void;
  /** Moves the focus into the frame unless the payer has moved it. Returns whether it did. */
  focusFrame(): boolean;
  /** Removes the frame and the offer to try again, and leaves the message. */
  giveUp(): void;
  /** Removes everything from the page and returns the focus. */
  remove(): void;
}

/** Replaced when a view that was made ahead is used. */
export interface ViewCallbacks {
  onClose: () => void;
  onRetry: () => void;
}

/** Height of a frame until its page reports its own, CSS px. The React region reserves as much. */
const FIRST_HEIGHT = 480;

export type Kind = 'payment' | 'other';

/**
 * Adds an element to the page that a frame can load in while its surroundings are made: in a container, or in a `<dialog>`
 * that is not open yet. The dialog is outside the body, because libraries such as Turbo and htmx replace the body, and
 * those for dialogs make everything in it inert.
 */
export function placeIn(container: Element | undefined): HTMLElement {
  const host = element('div');
  if (container) {
    container.append(host);
    return host;
  }
  const dialog = element('dialog');
  // Hidden whatever the page says about every dialog.
  dialog.style.cssText = 'display:none!important';
  dialog.append(host);
  document.documentElement.append(dialog);
  return host;
}

/**
 * Makes a modal `<dialog>`, or a block in a container, around a host. Dialog and frame are in the page's own tree, where
 * tools find them; the words and buttons around the frame are in a shadow root.
 */
export function createView(
  kind: Kind,
  container: Element | undefined,
  host: HTMLElement,
  scheme: ColorScheme,
  callbacks: ViewCallbacks,
): View {
  return new FrameView(kind, container, host, scheme, callbacks);
}

class FrameView implements View {
  readonly host: HTMLElement;
  readonly #kind: Kind;
  readonly #callbacks: ViewCallbacks;
  readonly #root: ShadowRoot;
  /** Has the role of a status. */
  readonly #status = element('output');
  /** The dialog, or the host of an inline flow. */
  readonly #outer: HTMLElement;
  readonly #dialog: ModalDialog | undefined;
  #text = wordsOf([]).text;
  #frame: HTMLIFrameElement | undefined;

  constructor(
    kind: Kind,
    container: Element | undefined,
    host: HTMLElement,
    scheme: ColorScheme,
    callbacks: ViewCallbacks,
  ) {
    this.host = host;
    this.#kind = kind;
    this.#callbacks = callbacks;
    this.#root = host.attachShadow({ mode: 'open' });
    this.#root.adoptedStyleSheets = [viewSheet(scheme)];

    if (container) {
      host.dataset['inline'] = '';
      this.#outer = host;
    } else {
      const dialog = host.parentNode as HTMLDialogElement;
      this.#dialog = new ModalDialog(scheme, dialog, this.#root, callbacks);
      this.#outer = dialog;
    }

    const body = element('section');
    // The status covers the frame.
    body.append(element('slot'), this.#status);
    this.#root.append(body);
  }

  speak(tags: readonly string[]): void {
    const { lang, text } = wordsOf(tags);
    // Setting the same language again would cause a new layout.
    const tag = htmlLanguage(lang);
    if (this.#outer.lang === tag) return;

    this.#text = text;
    this.#outer.lang = tag;
    this.#outer.dir = directionOf(lang);
    this.#dialog?.setLabels(text[this.#kind], text.close);
    if (this.#frame) this.#frame.title = text[this.#kind];
  }

  open(): void {
    this.#dialog?.open();
  }

  show(frame: HTMLIFrameElement): void {
    this.#frame = frame;
    frame.title = this.#text[this.#kind];
    this.resize(FIRST_HEIGHT);
  }

  setState(state: ViewState, held = ''): void {
    const { host } = this;
    host.dataset['state'] = state;
    if (state === 'ready') return this.#status.replaceChildren();

    const words = element('span');
    words.textContent = state === 'held' ? held : this.#text[state];
    this.#status.replaceChildren(words);
    if (state === 'unreachable') this.#offerRetry();
  }

  resize(height: number): void {
    this.#frame?.style.setProperty('--embedded-session-height', `${Math.ceil(height)}px`);
  }

  reveal(top: number, height: number): void {
    if (this.#dialog) return;
    const part = element('i');
    part.style.cssText = `top:${top}px;height:${height}px`;
    this.#root.append(part);
    part.scrollIntoView({ block: 'nearest' });
    detach(part);
  }

  focusFrame(): boolean {
    if (document.activeElement !== this.#outer) return false;
    this.#frame?.focus();
    return true;
  }

  giveUp(): void {
    detach(this.#frame);
    detach(this.#status.querySelector('button'));
    this.#outer.focus();
  }

  remove(): void {
    runAll(
      () => this.#dialog?.close(),
      () => detach(this.#outer),
      () => this.#dialog?.returnFocus(),
    );
  }

  #offerRetry(): void {
    const retry = element('button');
    retry.textContent = this.#text.retry;
    retry.onclick = () => {
      this.#outer.focus();
      this.#callbacks.onRetry();
    };
    this.#status.append(retry);
    if (this.#outer.contains(document.activeElement)) retry.focus();
  }
}

class ModalDialog {
  readonly #scheme: ColorScheme;
  readonly #dialog: HTMLDialogElement;
  readonly #heading = element('h2');
  readonly #button = element('button');
  #isClosed = false;
  #undo: (() => void)[] = [];
  #focused: Element | null = null;

  constructor(scheme: ColorScheme, dialog: HTMLDialogElement, root: ShadowRoot, callbacks: ViewCallbacks) {
    this.#scheme = scheme;
    this.#dialog = dialog;
    dialog.tabIndex = -1;
    dialog.oncancel = (event) => {
      event.preventDefault();
      callbacks.onClose();
    };
    // Chromium closes it on a second Escape without a `cancel` event, but only the flow decides when it closes.
    dialog.onclose = () => {
      if (!this.#isClosed) dialog.showModal();
    };
    dialog.onclick = (event) => {
      // The second click of the double click that opened it is none.
      if (event.target === dialog && event.detail < 2 && isOutside(dialog, event)) callbacks.onClose();
    };

    const header = element('header');
    this.#button.onclick = () => callbacks.onClose();
    header.append(this.#heading, this.#button);
    root.append(header);
  }

  setLabels(title: string, close: string): void {
    this.#heading.textContent = this.#dialog.ariaLabel = title;
    this.#button.ariaLabel = close;
  }

  open(): void {
    const dialog = this.#dialog;
    this.#focused = document.activeElement;
    while (this.#focused?.shadowRoot?.activeElement) this.#focused = this.#focused.shadowRoot.activeElement;

    dialog.id = DIALOG;
    dialog.removeAttribute('style');
    runAll(
      () => this.#undo.push(styleModal(this.#scheme)),
      () => this.#undo.push(shieldEvents(dialog)),
    );
    dialog.showModal();

    // On a zoomed page it would be larger than its window. Browsers before 2024 and Safari do not report the zoom.
    const { currentCSSZoom: zoom } = dialog as { currentCSSZoom?: number };
    if (zoom && zoom !== 1) dialog.style.setProperty('zoom', `${1 / zoom}`, 'important');
    dialog.focus();
  }

  close(): void {
    this.#isClosed = true;
    runAll(() => this.#dialog.close(), ...this.#undo);
  }

  returnFocus(): void {
    (this.#focused as HTMLElement | null)?.focus?.({ preventScroll: true });
  }
}

function isOutside(element: Element, { clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}
