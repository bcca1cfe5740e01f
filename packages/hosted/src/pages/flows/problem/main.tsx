/** The page for an unknown session, or one of the other environment. */
import { render } from 'preact';
import '../../kit/design/rest.css';
import { Button } from '../../kit/design/button.js';
import type { FrameStatus } from '../../kit/shell/frame.js';
import { Statement } from '../../kit/shell/problem.js';
import { openFrame, pageElement } from '../../kit/shell/start.js';
import { problem, rest, speakProblem } from '../../kit/text/index.js';

const frame = openFrame();
const { problem: kind, environment = '' } = document.documentElement.dataset;
await speakProblem();

const there = environment === 'staging' ? 'production' : 'staging';
const { title, body } =
  kind === 'environment'
    ? { title: problem.environment.title, body: problem.environment.body(environment, there) }
    : problem.unknown;
const page = pageElement();
page.replaceChildren();

function draw(status: FrameStatus): void {
  render(
    <Statement title={title} body={body} icon="alert">
      {status.kind === 'connected' && (
        <Button kind="secondary" onPress={() => frame.tell({ type: 'close-request', reason: 'cancel' })}>
          {rest.common.close}
        </Button>
      )}
      {status.kind === 'top-level' && <p>{rest.common.youMayClose}</p>}
    </Statement>,
    page,
  );
}

draw(frame.status);
frame.drawn?.();
frame.subscribe(() => draw(frame.status));
frame.tell({ type: 'error', message: title });
