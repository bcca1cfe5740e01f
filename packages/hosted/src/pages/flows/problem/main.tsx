/** The page for an unknown session or a session of the other environment. */
import { render } from 'preact';
import '../../kit/design/rest.css';
import { Button } from '../../kit/design/button.js';
import { Legal } from '../../kit/shell/legal.js';
import { WayBack } from '../../kit/shell/next-step.js';
import { Statement } from '../../kit/shell/problem.js';
import { openFrame, pageElement } from '../../kit/shell/start.js';
import { problem, rest, loadTexts } from '../../kit/text/index.js';

const frame = openFrame();
await loadTexts();

const { title, body } = problem[document.documentElement.dataset['problem'] as keyof typeof problem];
const page = pageElement();
page.replaceChildren();

function draw(): void {
  const { status } = frame;
  render(
    <>
      <Statement title={title} body={body} icon="alert">
        {status.kind === 'connected' && (
          <Button onPress={() => frame.post({ type: 'close-request', reason: 'cancel' })}>
            {rest.common.close}
          </Button>
        )}
        {status.kind === 'top-level' && <WayBack />}
      </Statement>
      <Legal />
    </>,
    page,
  );
}

draw();
frame.drawn?.();
frame.onChange = draw;
frame.post({ type: 'error', message: title });
