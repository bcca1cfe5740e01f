/** The page of a session that is not here: unknown, or of the other environment. */
import { render } from 'preact';
import { Button } from '../../kit/design/button.js';
import type { FrameStatus } from '../../kit/shell/frame.js';
import { problemText, Statement } from '../../kit/shell/problem.js';
import type { Problem } from '../../kit/shell/shell.js';
import { openFrame, pageElement } from '../../kit/shell/start.js';
import { speakManage, t } from '../../kit/text/index.js';

const frame = openFrame();
const { problem: kind, environment = '' } = document.documentElement.dataset;
await speakManage();

const problem: Problem = kind === 'environment' ? { kind, here: environment } : { kind: 'unknown' };
const text = problemText(problem, '');
const page = pageElement();
page.replaceChildren();

function draw(status: FrameStatus): void {
  render(
    <Statement {...text}>
      {status.kind === 'connected' && (
        <Button kind="secondary" onPress={() => frame.tell({ type: 'close-request', reason: 'cancel' })}>
          {t.common.close}
        </Button>
      )}
    </Statement>,
    page,
  );
}

draw(frame.status);
frame.subscribe(() => draw(frame.status));
frame.tell({ type: 'error', message: text.title });
