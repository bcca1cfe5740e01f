/** Starts a flow's page. */
import { render, type ComponentType } from 'preact';
import type { PageSession } from '../../../../../service/src/shared/page.js';
import { showBroken } from '../../../opening.js';
import { followPointer } from '../design/after-press.js';
import '../design/index.css';
import { App, type FlowProps } from './app.js';
import { focusHeading } from './focus.js';
import { connectFrame, followFocus, followHeight, readiness, type Frame } from './frame.js';
import type { Late } from './late.js';
import type { ShellRest } from './rest.js';
import { sessionSecret } from './secret.js';

/** Draws `Flow` where the HTML has its skeleton, as soon as the session's answer is here. */
export async function start<S extends PageSession, P extends ShellRest>(
  Flow: ComponentType<FlowProps<S, P>>,
  speak: () => Promise<void>,
  late: Late<P>,
): Promise<void> {
  const frame = openFrame();
  followPointer();
  const page = pageElement();
  // There is time while it waits for its session, or its first form needs all of it.
  if (window.begun !== undefined || document.querySelector('[data-all]') !== null) void late.read();
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

/** The place that the HTML left for the page. */
export function pageElement(): HTMLElement {
  return document.querySelector('#page') as HTMLElement;
}

/** The connection to the page around this one, listening from now on. */
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
  hearBeforeDrawing(frame);
  return frame;
}

/** A frame that has answered may get the focus, though nothing is drawn in it yet. */
function hearBeforeDrawing(frame: Frame): void {
  // A dialog around the frame gets no `cancel` while the focus is in here.
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.repeat) return;
    if (frame.holdsBack?.() === true) return;
    frame.tell({ type: 'close-request', reason: 'escape' });
  });
}
