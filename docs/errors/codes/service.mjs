/**
 * @import { ErrorCode } from '@embedded-sessions/server-types'
 * @import { StartErrorCode } from '@embedded-sessions/service'
 * @import { Page } from './page.d.ts'
 */

/** What the API answers. @type {Page<ErrorCode>} */
export const API = {
  required: {
    meaning: 'A required field is missing. `field` is its path in your request.',
    retryable: 'no',
    todo: 'Send the field. Some fields require another one: `SuccessUrl` needs `ReturnUrl`, and POS needs `PosUser`.',
  },
  invalid: {
    meaning:
      "A value has the wrong type, is out of range, or isn't one of the allowed values. The message lists them.",
    retryable: 'no',
    todo: 'Correct the value. Money is an integer number of cents: `1234`, not `12.34` or `"1234"`.',
  },
  too_many: {
    meaning: 'A list has too many items. A session has at most 25 charges and 100 payment fields.',
    retryable: 'no',
    todo: 'Split the request into several sessions.',
  },
  too_few: {
    meaning: 'A list is empty.',
    retryable: 'no',
    todo: 'Send at least one item, or leave out an optional list.',
  },
  too_long: {
    meaning:
      'A text is too long: 100 characters for an address line, 2,048 for a URL, 10,000 for a name or statement text, 255 for references and other short texts. Characters are code points.',
    retryable: 'no',
    todo: 'Shorten it.',
  },
  not_allowed: {
    meaning:
      "A field isn't allowed in this request: `ClientUser` on POS, `PosUser` on QuickPay, or an unknown key of `PaymentFields`.",
    retryable: 'no',
    todo: 'Leave it out or change the `Channel`. The operator configures the keys of `PaymentFields`.',
  },
  invalid_json: {
    meaning: "The body isn't JSON in UTF-8.",
    retryable: 'no',
    todo: 'Send the result of `JSON.stringify` once. Only the `payload` of an event is a JSON string inside JSON.',
  },
  account_not_synced: {
    meaning: "The service doesn't know the account, and the request didn't ask to save it.",
    retryable: 'no',
    todo: 'Send `SyncAccount: true` with the account, or take a payment for it first.',
  },
  invalid_api_key: {
    meaning: 'The key is missing, unknown or revoked. The response is the same for all three.',
    retryable: 'no',
    todo: 'Send the key of this environment as `X-Service-Api-Key`.',
  },
  business_unit_forbidden: {
    meaning: 'The business unit is unknown or belongs to another key. The response is the same for both.',
    retryable: 'no',
    todo: 'Check `BusinessUnitSlug`, and ask the operator which business units the key can use.',
  },
  browser_refused: {
    meaning:
      'The request came from a page: it has an `Origin` header, or a `Sec-Fetch-Site` other than `none`.',
    retryable: 'no',
    todo: 'Call from your backend. Revoke a key that was in a page. If a proxy passes on `Origin`, remove the header there.',
  },
  not_found: {
    meaning: 'This business unit and environment has no such route, session or payment.',
    retryable: 'no',
    todo: 'Check the path, the id and the environment: session ids start with `stg_` or `prd_`.',
  },
  account_not_found: {
    meaning: 'No account has this number and sub-account number.',
    retryable: 'no',
    todo: 'Check both. Without a sub-account, send an empty string.',
  },
  customer_not_found: {
    meaning: 'No customer of the account has the `originalEmailAddress`.',
    retryable: 'no',
    todo: 'Send events of one account in order. Leave out `originalEmailAddress` unless the address changes.',
  },
  method_not_allowed: {
    meaning: 'The address exists but needs another method. API endpoints accept only POST.',
    retryable: 'no',
    todo: 'Use a method from the `Allow` header.',
  },
  client_reference_taken: {
    meaning: 'The `ClientReference` was already used in this business unit. References are unique forever.',
    retryable: 'no',
    todo: 'After a lost response, query the session before you use another reference. With an `Idempotency-Key`, a retry returns its own session.',
  },
  email_in_use: {
    meaning: 'Another customer of the business unit has the new e-mail address.',
    retryable: 'no',
    todo: 'Find out which of the two customers should have the address.',
  },
  idempotency_in_flight: {
    meaning: 'The first request with this `Idempotency-Key` is still running.',
    retryable: 'yes',
    todo: 'Wait for the time in `Retry-After`, then send the same request again.',
  },
  not_cancelable: {
    meaning: 'The session has a payment in flight or was paid, or its link has expired.',
    retryable: 'no',
    todo: 'Query the session. Refund the payment if necessary.',
  },
  not_enrolled: {
    meaning:
      "The account isn't enrolled in AutoPay, or its method has expired, is blocked or is no longer accepted: the message says which.",
    retryable: 'no',
    todo: 'Open an AutoPay session for the customer.',
  },
  not_refundable: {
    meaning:
      "The payment hasn't succeeded, is fully refunded, has 100 refunds, or the processor doesn't support refunds.",
    retryable: 'no',
    todo: "Refund a bank payment after it has settled. Cancel a session that hasn't been paid.",
  },
  body_too_large: {
    meaning: 'The body exceeds 256 KiB.',
    retryable: 'no',
    todo: 'Send less. Use `CustomMeta` for references, not documents.',
  },
  unsupported_media_type: {
    meaning: "The `Content-Type` isn't `application/json`.",
    retryable: 'no',
    todo: 'Send `Content-Type: application/json`.',
  },
  idempotency_key_reused: {
    meaning: 'The `Idempotency-Key` was used with another body within 24 hours.',
    retryable: 'no',
    todo: 'Use a new key if anything in the body changes.',
  },
  rate_limited: {
    meaning: 'Too many requests for this key.',
    retryable: 'yes',
    todo: 'Wait for the time in `Retry-After`.',
  },
  internal: {
    meaning: 'The service failed. Internal details are not returned.',
    retryable: 'yes',
    todo: 'Retry with the same `Idempotency-Key`. If it persists, give the operator the `X-Request-Id`.',
  },
  unavailable: {
    meaning:
      "The database is too busy or can't be reached in time, or other requests are changing the same data.",
    retryable: 'yes',
    todo: 'Retry with the same `Idempotency-Key`, after the time in `Retry-After` if the response has one.',
  },
};

/** Why a service does not start, or a command does not run. @type {Page<StartErrorCode>} */
export const START = {
  invalid_arguments: {
    meaning: 'A command-line flag is unknown, missing or wrong, or the port is in use.',
    retryable: 'no',
    todo: 'The message names the flag. `embedded-sessions --help` lists the commands.',
  },
  invalid_config: {
    meaning:
      "The config file can't be read, isn't JSON, or is invalid. The message lists every problem with its path.",
    retryable: 'no',
    todo: 'Fix all of them. Unknown keys are refused so that typos are found.',
  },
  database_unavailable: {
    meaning: "The database can't be opened: no connection, a wrong password, or no permission for the file.",
    retryable: 'depends',
    todo: "The message has the database's reason. A supervisor that restarts the service brings it up when the database is back.",
  },
  environment_mismatch: {
    meaning: 'The database belongs to a different environment than `--env`. The message names both.',
    retryable: 'no',
    todo: 'Use a separate database for each environment.',
  },
  session_key_missing: {
    meaning:
      'Production has no session keys, stored sessions or blocked bank accounts need a key that is missing, or the database knows another key with the same id.',
    retryable: 'no',
    todo: 'Put the key back into the file, below the new one, until a day after the rotation. Give every process the same keys, and every key a unique id.',
  },
  schema_too_new: {
    meaning: 'A newer release migrated the database.',
    retryable: 'no',
    todo: 'Run the newer release, or restore the backup from before it.',
  },
  processor_invalid: {
    meaning: "The default export of the `--processor` module isn't a payment processor.",
    retryable: 'no',
    todo: 'Export an object with `tokenize`, `charge` and `lookup`.',
  },
  message_not_found: {
    meaning: 'The business unit has no webhook message with this id.',
    retryable: 'no',
    todo: '`embedded-sessions webhooks list` shows the messages. They are kept for 90 days after delivery.',
  },
  ledger_incomplete: {
    meaning: 'After an upgrade, the service is still booking the payments of the previous release.',
    retryable: 'yes',
    todo: 'Keep the service running, and export again later.',
  },
  payment_in_flight: {
    meaning: '`customers erase` found a payment by this customer whose outcome is not known yet.',
    retryable: 'yes',
    todo: 'Run it again in a minute.',
  },
  statement_differs: {
    meaning: "`payments reconcile` printed differences between the processor's statement and the ledger.",
    retryable: 'no',
    todo: 'See [Reconcile](../accounting.md#reconcile).',
  },
  key_not_found: {
    meaning: '`keys revoke` found no active key with this id or text in the database.',
    retryable: 'no',
    todo: 'See `embedded-sessions keys list`. Remove keys of the config file from the file.',
  },
};
