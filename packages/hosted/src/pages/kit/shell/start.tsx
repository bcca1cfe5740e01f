import { render, type ComponentType } from 'preact';
import type { PageSession } from '@shared/page.js';
import { historyState, isInline, showBroken } from '../../../page-state.js';
import { followPointer } from '../design/after-press.js';
import '../design/index.css';
import { loadTexts } from '../text/index.js';
import { App, type FlowProps } from './app.js';
import { connectFrame, followFocus, followHeight, readiness, type Frame } from './frame.js';
import type { Late } from './late.js';
import type { ShellRest } from './rest.js';
import { setShell, Shell } from './shell.js';

/** Renders `Flow` over the HTML's skeleton as soon as the session has loaded. */
export async function start<S extends PageSession>(
  Flow: ComponentType<FlowProps<S>>,
  late: Late<ShellRest>,
): Promise<void> {
  const frame = openFrame();
  followPointer();
  addEventListener('keydown', ignoreRepeats, true);
  const page = pageElement();
  if (window.opened !== undefined) void late.load();
  try {
    await loadTexts();
  } catch {
    showBroken(document);
    return frame.drawn?.();
  }
  if (window.opened !== undefined) {
    await window.opened;
    frame.post(readiness(document.documentElement));
  }
  setShell(new Shell(frame, late, historyState(window).secret));
  page.replaceChildren();
  render(<App Flow={Flow} late={late} />, page);
}

/** A held Enter must not press the button that it has moved the focus to. */
function ignoreRepeats(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter') event.preventDefault();
}

/** The element in the HTML that the app renders into. */
export function pageElement(): HTMLElement {
  return document.querySelector('#page') as HTMLElement;
}

/** Connects to the merchant's page and starts listening. */
export function openFrame(): Frame {
  const frame = connectFrame();
  if (frame.status.kind === 'top-level') return frame;

  frame.drawn = followHeight(frame, document.body);
  followFocus(frame);
  passCloseRequests(frame);
  return frame;
}

/** Emits one `close` event, on the next Escape or Android Back. Back only reaches the focused frame. */
type CloseWatcherClass = new () => EventTarget;

/**
 * Forwards close requests to the dialog around the frame, which gets none while the focus is in the frame. Starts early:
 * the frame may get the focus before anything is rendered.
 */
function passCloseRequests(frame: Frame): void {
  const pass = (): void => frame.post({ type: 'close-request', reason: 'escape' });
  const { CloseWatcher } = window as { CloseWatcher?: CloseWatcherClass };
  if (CloseWatcher) {
    const watch = (): void => {
      new CloseWatcher().addEventListener('close', () => {
        watch();
        pass();
      });
    };
    // A page that waits for its session learns only with the session whether it is inline. There, Back must leave the
    // merchant's page.
    return void Promise.resolve(window.opened).then(() => isInline(window) || watch());
  }
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.repeat) return;
    // The dialog that asks whether to leave handles Escape itself.
    if (document.querySelector('dialog[open]') === null) pass();
  });
}
