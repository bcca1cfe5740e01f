export { renderAhead, REPORT_SCRIPT, type Ahead } from './ahead.js';
export { firstOf, IS_MATRIX, launch, MATRIX_ENGINES, openTab, type Engine } from './browsers.js';
export { hasWebKit, launchWebKit, type WebKit } from './webkit.js';
export { freePort } from '../../tools/ports.mjs';
export { bodyOf, startOrigin, type Handler, type Origin, type OriginOptions, type Route } from './origins.js';
export {
  AGENT,
  BUSINESS_UNIT,
  startService,
  type CreatedSession,
  type Flow,
  type Service,
  type ServiceOptions,
} from './service.js';
export { type Control, type ControlState, type Fault } from './control.js';
export {
  AXE,
  axeViolations,
  BANK_OK,
  CARD_DECLINED,
  CARD_OK,
  collectErrors,
  fillBank,
  fillCard,
  holdResponses,
  DISPLAYS,
  leave,
  payByCard,
  pressDone,
  pressIn,
  pressPay,
  sessionFrame,
  type Scope,
  undefinedVariables,
} from './page.js';
export { hasPostgres, startPostgres, type Postgres } from '../../packages/service/test/postgres.js';
export type { Browser, BrowserContext, Page } from 'playwright-core';
