import type { Appearance, Brand } from '@embedded-sessions/loader';
import { detach, element, runAll } from './dom.js';
import { shieldEvents } from './shield.js';
import { styleModal, viewSheet } from './styles.js';
import type * as ScrollTo from './scroll-to.js';
import type { ColorScheme } from '@shared/appearance.js';
import { ENGLISH_WORDS, importFor } from './words.js';

/** `held`: the payer asked to close while a payment is in flight. */
export type ViewState = 'loading' | 'ready' | 'unreachable' | 'held';

export type Kind = 'payment' | 'other';

/**
 * Shows a frame in a modal `<dialog>` or in a container. Knows nothing about sessions. Dialog and frame are in the page's
 * own tree, where tools find them. The texts and buttons around the frame are in a shadow root.
 */
export class View {
  /** The parent of the frame. */
  readonly host = element('div');
  onClose!: () => void;
  onRetry!: () => void;
  readonly #kind: Kind;
  readonly #root: ShadowRoot;
  /** `<output>` has the role `status`. */
  readonly #status = element('output');
  /** The dialog, or the host of an inline flow. */
  readonly #outer: HTMLElement;
  readonly #dialog: Modal | undefined;
  #words = ENGLISH_WORDS;
  /** The languages of the last call of `speak`. */
  #wanted: readonly string[] = [];
  #frame: HTMLIFrameElement | undefined;

  /** Calls `addFrame` before creating the rest, so that the frame starts loading early. */
  constructor(
    kind: Kind,
    container: Element | undefined,
    scheme: ColorScheme,
    { accent = '', accentDark = accent, background = '', brand, showHeader }: Appearance = {},
    addFrame: (host: HTMLElement) => void,
  ) {
    const { host } = this;
    const dialog = container ? undefined : element('dialog');
    this.#kind = kind;
    this.#outer = dialog ?? host;
    if (dialog) {
      // Stays hidden even if the page styles every dialog.
      dialog.style.cssText = 'display:none!important';
      dialog.append(host);
    }
    // Outside the body, because libraries such as Turbo and htmx replace the body, and dialog libraries make its content
    // inert.
    (container ?? document.documentElement).append(this.#outer);
    addFrame(host);

    this.#root = host.attachShadow({ mode: 'open' });
    this.#root.adoptedStyleSheets = [viewSheet(scheme)];
    host.style.setProperty('--embedded-session-accent', scheme === 'dark' ? accentDark : accent);

    if (dialog) this.#dialog = modalIn(dialog, scheme, this.#root, this, brand ?? {});
    else {
      if (showHeader === false) host.style.setProperty('--y', '16px');
      // For a value that starts with `#`, such as a color, the style sheet keeps the frame within its container.
      host.dataset['inline'] =
        getComputedStyle(container as Element).overflowX === 'visible' ? background : '#';
    }

    const body = element('section');
    // The status covers the frame.
    body.append(element('slot'), this.#status);
    this.#root.append(body);
  }

  /** Switches to the first supported language. Starts with English. */
  async speak(tags: readonly string[]): Promise<void> {
    this.#wanted = tags;
    if (tags[0] === this.#words.lang) return;
    const { default: words } = await importFor(tags);
    if (this.#wanted !== tags || !words) return;
    this.#words = words;
    this.#label();
    if (this.host.dataset['state'] === 'loading') this.setState('loading');
  }

  open(): void {
    this.#dialog?.open();
  }

  /** Sets the title of the frame. */
  show(frame: HTMLIFrameElement): void {
    this.#frame = frame;
    this.#label();
  }

  /** `text`: the message for the state `held`. */
  setState(state: ViewState, text = (this.#words as Partial<Record<ViewState, string>>)[state]): void {
    const { host } = this;
    host.dataset['state'] = state;
    if (state === 'ready') return this.#status.replaceChildren();

    const words = element('span');
    words.textContent = text as string;
    this.#status.replaceChildren(words);
    if (state === 'loading') for (let bars = 9; bars--;) this.#status.prepend(element('i'));
    if (state === 'unreachable') this.#offerRetry();
  }

  /** Height of the frame's content, CSS px. */
  resize(height: number): void {
    this.#outer.style.setProperty('--embedded-session-height', `${height}px`);
  }

  /** Scrolls a part of the frame's content into view. */
  async reveal(part: ScrollTo.Part): Promise<void> {
    if (this.#dialog) return;
    const { scrollTo } = await importFor<typeof ScrollTo>(navigator.languages);
    scrollTo?.(this.#root, part);
  }

  /** Adapts to the frame's content: a modal has its corner radius. `fills`: an inline one has its own color. */
  adapt(radius = '', fills?: boolean): void {
    this.#outer.style.setProperty('--embedded-session-radius', radius);
    if (fills) this.host.dataset['inline'] = '#';
  }

  /** Moves the focus into the frame, unless the payer has moved it elsewhere. Returns whether it did. */
  focusFrame(): boolean {
    if (document.activeElement !== this.#outer) return false;
    this.#frame?.focus();
    return true;
  }

  /** Removes the frame and the retry button. Keeps the message. */
  giveUp(): void {
    detach(this.#frame);
    detach(this.#status.lastElementChild);
    this.#outer.focus();
  }

  /** Removes everything from the page and returns the focus. */
  remove(): void {
    runAll(
      () => this.#dialog?.close(),
      () => detach(this.#outer),
    );
  }

  #label(): void {
    const { lang, dir, close } = this.#words;
    const title = this.#words[this.#kind];
    Object.assign(this.#outer, { lang, dir });
    this.#frame!.title = title;
    this.#dialog?.setLabels(title, close);
  }

  #offerRetry(): void {
    const retry = element('button');
    retry.textContent = this.#words.retry;
    retry.onclick = () => {
      this.#outer.focus();
      this.onRetry();
    };
    this.#status.append(retry);
    if (this.#outer.contains(document.activeElement)) retry.focus();
  }
}

interface Modal {
  setLabels: (title: string, close: string) => void;
  open: () => void;
  /** The browser restores the focus. */
  close: () => void;
}

/** Makes a dialog modal, and adds its header to the shadow root. */
function modalIn(
  dialog: HTMLDialogElement,
  scheme: ColorScheme,
  root: ShadowRoot,
  view: View,
  { name, logoUrl }: Brand,
): Modal {
  const header = element('header');
  const heading = element('span');
  const button = element('button');
  const undo: (() => void)[] = [];

  dialog.tabIndex = -1;
  dialog.oncancel = (event) => {
    event.preventDefault();
    view.onClose();
  };
  // Chromium closes it on a second Escape without a `cancel` event. Reopen it: only the flow may close it.
  dialog.onclose = () => dialog.showModal();
  dialog.onclick = (event) => {
    // A click outside the dialog closes it, unless it is the second click of the double click that opened it.
    if (event.target === dialog && event.detail < 2) view.onClose();
  };
  button.onclick = () => view.onClose();
  if (logoUrl) header.append(Object.assign(element('img'), { alt: '', src: logoUrl }));
  header.append(heading, button);
  root.append(header);

  return {
    setLabels(title, close) {
      dialog.ariaLabel = title;
      heading.textContent = name || title;
      button.ariaLabel = close;
    },
    open() {
      dialog.id = 'embedded-session';
      // First, because both need the page's layout, which would include the dialog before it has its styles.
      const { currentCSSZoom: zoom } = document.documentElement as { currentCSSZoom: number };
      runAll(
        () => undo.push(styleModal(scheme)),
        () => undo.push(shieldEvents(dialog)),
      );
      // Inline, because important rules in a page's cascade layers override every style sheet of ours. Undoes the page's CSS
      // zoom, which would make the dialog larger than the window. Browsers before 2025 may not report it, and ignore NaN.
      dialog.style.cssText = `zoom:${1 / zoom}!important;display:flex!important`;
      dialog.showModal();
      dialog.focus();
    },
    close() {
      dialog.onclose = null;
      runAll(() => dialog.close(), ...undo);
    },
  };
}
