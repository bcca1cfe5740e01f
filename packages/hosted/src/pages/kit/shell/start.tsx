/** Starts a flow's page. */
import { render, type ComponentType } from 'preact';
import type { PageSession } from '@shared/page.js';
import { showBroken } from '../../../opening.js';
import { followPointer } from '../design/after-press.js';
import '../design/index.css';
import { App, type FlowProps } from './app.js';
import { focusHeading } from './focus.js';
import { connectFrame, followFocus, followHeight, readiness, type Frame } from './frame.js';
import type { Late } from './late.js';
import type { ShellRest } from './rest.js';
import { sessionSecret } from './secret.js';
import { isInline } from './surroundings.js';

/** Renders `Flow` over the HTML's skeleton as soon as the session has loaded. */
export async function start<S extends PageSession, P extends ShellRest>(
  Flow: ComponentType<FlowProps<S, P>>,
  speak: () => Promise<void>,
  late: Late<P>,
): Promise<void> {
  const frame = openFrame();
  followPointer();
  const page = pageElement();
  if (window.begun !== undefined) void late.read();
  try {
    await speak();
  } catch {
    showBroken(document);
    return;
  }
  if (window.begun !== undefined) {
    await window.begun;
    frame.tell(readiness(document.documentElement));
  }
  page.replaceChildren();
  render(<App Flow={Flow} late={late} frame={frame} secret={sessionSecret()} />, page);
}

/** The element in the HTML that the page renders into. */
export function pageElement(): HTMLElement {
  return document.querySelector('#page') as HTMLElement;
}

/** The connection to the page around this one. Listens from now on. */
export function openFrame(): Frame {
  const allowed = document.querySelector<HTMLMetaElement>('meta[name=allowed-origins]')?.content ?? '';
  const frame = connectFrame({
    own: window,
    allowedOrigins: allowed.split(' ').filter((origin) => origin !== ''),
    onFocus: focusHeading,
  });
  if (frame.status.kind === 'top-level') return frame;

  frame.drawn = followHeight(frame, document.body);
  followFocus(frame);
  passCloseRequests(frame);
  return frame;
}

/** Closes once on the next close request: Escape, or Android's Back, which only reaches the frame that has the focus. */
type CloseWatcherClass = new () => EventTarget;

/**
 * Passes close requests on to the dialog around the frame, which gets none while the focus is in here. A frame that has
 * replied may receive the focus before anything is rendered in it.
 */
function passCloseRequests(frame: Frame): void {
  const pass = (): void => frame.tell({ type: 'close-request', reason: 'escape' });
  const { CloseWatcher } = window as { CloseWatcher?: CloseWatcherClass };
  if (CloseWatcher) {
    const watch = (): void => {
      new CloseWatcher().addEventListener('close', () => {
        watch();
        pass();
      });
    };
    // A page that was opened ahead of its session finds out only with the session where it is shown. Inline, Back
    // leaves the merchant's page.
    return void Promise.resolve(window.begun).then(() => isInline(window) || watch());
  }
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.repeat) return;
    // Back closes the dialog that asks whether to leave.
    if (document.querySelector('dialog[open]') === null) pass();
  });
}
