import type { FunctionComponent } from 'preact';
import type { PageSession } from '@shared/page.js';
import type { FlowProps } from '../shell/app.js';
import { eager } from '../shell/late.js';
import { shellRest } from '../shell/rest.js';
import { start } from '../shell/start.js';
import { loadManageTexts } from '../text/index.js';

/** Starts a management page. */
export function startManage<S extends PageSession>(Flow: FunctionComponent<FlowProps<S>>): void {
  void start(Flow, loadManageTexts, eager(shellRest));
}
