import { lazy } from '../../kit/shell/late.js';

/** The part of the page that loads after the form is shown. */
export const late = lazy(() => import('./late.js'));
