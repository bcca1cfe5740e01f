/**
 * @import { ErrorCode } from '@embedded-sessions/server-types'
 * @import { StartErrorCode } from '@embedded-sessions/service'
 * @import { Page } from './page.d.ts'
 */

/** What the API answers. @type {Page<ErrorCode>} */
export const API = {
  required: {
    meaning: 'A field that must be there is missing; `field` is its path as you wrote the request.',
    retryable: 'no',
    todo: 'Send the field. Some are required by another: `SuccessUrl` with `ReturnUrl`, `PosUser` on POS.',
  },
  invalid: {
    meaning:
      'A value is of the wrong type, out of its limits, or not one of those allowed. The message says which are.',
    retryable: 'no',
    todo: 'Correct the value. Money is an integer number of cents: `1234`, neither `12.34` nor `"1234"`.',
  },
  too_many: {
    meaning: 'A list has more items than it may: 25 charges.',
    retryable: 'no',
    todo: 'Split it into several sessions.',
  },
  too_few: {
    meaning: 'A list is empty that must not be.',
    retryable: 'no',
    todo: 'Give at least one item, or leave an optional list out.',
  },
  too_long: {
    meaning:
      'A text is longer than it may be: 100 characters for a line of an address, 255 for an account number, a reference or an e-mail address. Characters are code points.',
    retryable: 'no',
    todo: 'Shorten it.',
  },
  not_allowed: {
    meaning:
      'A field that this kind of request must not have: `ClientUser` on POS, `PosUser` on QuickPay, an unknown key of `PaymentFields`.',
    retryable: 'no',
    todo: 'Leave it out, or change the `Channel`; keys of `PaymentFields` are configured by the operator.',
  },
  invalid_json: {
    meaning: 'The body is not JSON, or not UTF-8.',
    retryable: 'no',
    todo: 'Send what `JSON.stringify` gives, once: a string of JSON inside JSON is wanted for `payload` of an event only.',
  },
  account_not_synced: {
    meaning: 'The service does not know the account, and the request did not ask to write it.',
    retryable: 'no',
    todo: 'Send `SyncAccount: true` with the account, or take a payment for it first.',
  },
  invalid_api_key: {
    meaning: 'The key is missing, unknown or revoked: all three answer alike.',
    retryable: 'no',
    todo: 'Send it as `X-Service-Api-Key`, the one of this environment.',
  },
  business_unit_forbidden: {
    meaning: 'The business unit is unknown, or belongs to another key: both answer alike.',
    retryable: 'no',
    todo: 'Check `BusinessUnitSlug`, and with the operator which units the key is for.',
  },
  browser_refused: {
    meaning: 'The request came from a page: it carries `Origin`, or a `Sec-Fetch-Site` other than `none`.',
    retryable: 'no',
    todo: 'Call from your backend. A key that was in a page is no secret any more: revoke it. A proxy that passes `Origin` on must drop it.',
  },
  not_found: {
    meaning: 'There is no such route, session or payment in this business unit and environment.',
    retryable: 'no',
    todo: 'Check the path, the id, and whether it was made in the other environment: the id of a session begins with `stg_` or `prd_`.',
  },
  account_not_found: {
    meaning: 'No account has this number and sub-account number.',
    retryable: 'no',
    todo: 'Check both; a missing sub-account number is the empty one.',
  },
  customer_not_found: {
    meaning: 'No customer of the business unit has the `originalEmailAddress`.',
    retryable: 'no',
    todo: 'Send events of one account in their order; leave `originalEmailAddress` out where the address does not change.',
  },
  method_not_allowed: {
    meaning: 'Something is at this address, and takes another method: every endpoint takes POST only.',
    retryable: 'no',
    todo: 'Send a method that `Allow` names.',
  },
  request_timeout: {
    meaning: 'The request did not arrive whole: it has 20 s, 10 s of them for its headers.',
    retryable: 'yes',
    todo: 'Send it again, under its `Idempotency-Key`; where it happens often, look at the network between.',
  },
  client_reference_taken: {
    meaning: 'The `ClientReference` was used before in this business unit, and is taken for ever.',
    retryable: 'no',
    todo: 'After a lost answer, look it up before you choose another. With an `Idempotency-Key` the repeated request would have got its own session again.',
  },
  email_in_use: {
    meaning: 'Another customer of the business unit has the new e-mail address.',
    retryable: 'no',
    todo: 'Ask which of the two is right.',
  },
  idempotency_in_flight: {
    meaning: 'The first request with this `Idempotency-Key` is still running.',
    retryable: 'yes',
    todo: 'Wait as `Retry-After` says and send the same request again.',
  },
  not_cancelable: {
    meaning: 'The session has a payment that is in flight or done.',
    retryable: 'no',
    todo: 'Ask what became of it; give the money back with a refund.',
  },
  not_enrolled: {
    meaning: 'The account has no AutoPay to charge.',
    retryable: 'no',
    todo: 'Open an AutoPay session for the customer.',
  },
  not_refundable: {
    meaning:
      'The payment has not succeeded, or all of it has been given back, or the processor gives nothing back.',
    retryable: 'no',
    todo: 'A bank payment can be refunded once it has settled; a session that nobody has paid can be canceled.',
  },
  body_too_large: {
    meaning: 'The body is over 256 KiB.',
    retryable: 'no',
    todo: 'Send less; `CustomMeta` is for references and not for documents.',
  },
  unsupported_media_type: {
    meaning: 'The body is not declared as `application/json`.',
    retryable: 'no',
    todo: 'Send `Content-Type: application/json`.',
  },
  expectation_failed: {
    meaning: 'The request has an `Expect` header other than `100-continue`.',
    retryable: 'no',
    todo: 'Leave the header out.',
  },
  headers_too_large: {
    meaning: 'The headers of the request are over 16 KiB together.',
    retryable: 'no',
    todo: 'Send fewer: cookies, or what a proxy adds, are the usual cause.',
  },
  idempotency_key_reused: {
    meaning: 'The `Idempotency-Key` was used within 24 hours with another body.',
    retryable: 'no',
    todo: 'A key belongs to one request: make a new one when anything in the body changes.',
  },
  rate_limited: {
    meaning: 'Too many requests for this key.',
    retryable: 'yes',
    todo: 'Wait as `Retry-After` says.',
  },
  internal: {
    meaning: 'The service failed. Nothing of its inside is told.',
    retryable: 'yes',
    todo: 'Send it again with the same `Idempotency-Key`; if it stays, tell the operator the `X-Request-Id`.',
  },
  unavailable: {
    meaning: 'The service cannot reach its database in time.',
    retryable: 'yes',
    todo: 'Send it again with the same `Idempotency-Key`, after `Retry-After` where there is one.',
  },
};

/** Why a service does not start, or a command does not run. @type {Page<StartErrorCode>} */
export const START = {
  invalid_arguments: {
    meaning: 'A flag of the command line is unknown, missing or wrong, or the port cannot be listened on.',
    retryable: 'no',
    todo: 'The message names the flag; `embedded-sessions --help` shows the commands.',
  },
  invalid_config: {
    meaning:
      'The config file cannot be read, is no JSON, or is wrong. Every problem is listed with its path.',
    retryable: 'no',
    todo: 'Correct all of them. Unknown keys are refused, so that a misspelt one is found.',
  },
  database_unavailable: {
    meaning: 'The database cannot be opened: no connection, wrong password, no permission for the file.',
    retryable: 'depends',
    todo: 'The reason of the engine is in the message. Under a supervisor that starts it again the service comes up when the database does.',
  },
  environment_mismatch: {
    meaning: 'The database belongs to another environment than `--env`. Both are named.',
    retryable: 'no',
    todo: 'Give each environment a database of its own.',
  },
  session_key_missing: {
    meaning:
      'Production was given no session keys, or sessions are stored that need a key which is not among those given, or a key has an id by which the database knows another.',
    retryable: 'no',
    todo: 'Put the key back in the file, below the new one, until a day after it was rotated. Give every process the same keys, and a new key an id of its own.',
  },
  schema_too_new: {
    meaning: 'The database was migrated by a newer release than this one.',
    retryable: 'no',
    todo: 'Run the newer release, or restore the backup that was made before it.',
  },
  processor_invalid: {
    meaning: '`--processor` names a module whose default export is no payment processor.',
    retryable: 'no',
    todo: 'Export an object with `tokenize`, `charge` and `lookup`.',
  },
  message_not_found: {
    meaning: 'The business unit has no webhook message of this id.',
    retryable: 'no',
    todo: '`embedded-sessions webhooks list` shows those that there are. One that was delivered or given up is kept for 90 days.',
  },
  key_not_found: {
    meaning: '`keys revoke` found no key in use of that id or text.',
    retryable: 'no',
    todo: 'See `embedded-sessions keys list`.',
  },
};
