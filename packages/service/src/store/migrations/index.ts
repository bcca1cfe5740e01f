import { core } from './001-core.js';
import { payments } from './002-payments.js';
import { retention } from './003-retention.js';
import { tries } from './004-tries.js';
import { webhookQueues } from './005-webhook-queues.js';
import { processorWords } from './006-processor-words.js';
import { expectedWebhooks } from './007-expected-webhooks.js';
import { authorizations } from './008-authorizations.js';
import { backOffice } from './009-back-office.js';
import { abandoned } from './010-abandoned.js';
import { origins } from './011-origins.js';
import { sortedIds } from './012-sorted-ids.js';
import { chargeDayIndexes, chargeDays } from './013-charge-days.js';
import { blockedAccounts } from './014-blocked-accounts.js';
import { authorizationDevices } from './015-authorization-devices.js';
import { ledger, ledgerIndexes } from './016-ledger.js';
import { processorEventIndexes, processorEvents } from './017-processor-events.js';
import { forgetting, forgettingIndexes } from './018-forgetting.js';
import { emailKeys } from './019-email-keys.js';
import { dueOfUnitIndexes } from './020-due-of-unit.js';
import { challenges } from './021-challenges.js';
import { messageIndexes, messages } from './022-messages.js';
import { failingWebhooksIndex } from './023-failing-webhooks.js';
import type { Change, Index } from './migration.js';

/** In order. A released migration never changes. The schema version is the number of migrations that have run. */
export const MIGRATIONS: readonly (Change | Index)[] = [
  core,
  payments,
  retention,
  tries,
  webhookQueues,
  processorWords,
  expectedWebhooks,
  authorizations,
  backOffice,
  abandoned,
  origins,
  sortedIds,
  chargeDays,
  blockedAccounts,
  authorizationDevices,
  ledger,
  ...chargeDayIndexes,
  ...ledgerIndexes,
  processorEvents,
  ...processorEventIndexes,
  forgetting,
  emailKeys,
  challenges,
  messages,
  ...forgettingIndexes,
  ...dueOfUnitIndexes,
  ...messageIndexes,
  failingWebhooksIndex,
];

/**
 * The number of migrations of the oldest release that works with this schema. Later migrations only add. To
 * remove something, wait until the releases that use it are gone, and raise this to their successor's number.
 */
export const OLDEST_COMPATIBLE = 12;
