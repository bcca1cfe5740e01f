export const ROWS: Readonly<
  Record<
    | 'form'
    | 'loader'
    | 'script'
    | 'react'
    | 'server'
    | 'inspector'
    | 'warm'
    | 'frame'
    | 'load'
    | 'hono'
    | 'prism'
    | 'payment'
    | 'payment-postgres'
    | 'payment-database'
    | 'call'
    | 'callers'
    | 'syncs'
    | 'healthz'
    | 'sessions'
    | 'sessions-postgres'
    | 'lists'
    | 'lists-postgres'
    | 'start'
    | 'memory'
    | 'webhooks-sqlite'
    | 'webhooks-postgres',
    object
  >
>;
