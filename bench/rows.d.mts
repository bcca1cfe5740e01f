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
    | 'call'
    | 'callers'
    | 'syncs'
    | 'healthz'
    | 'waits-create'
    | 'waits-payment'
    | 'waits-rest'
    | 'million'
    | 'sessions'
    | 'sessions-postgres'
    | 'lists'
    | 'lists-postgres'
    | 'charges'
    | 'processes'
    | 'start'
    | 'memory'
    | 'webhooks-sqlite'
    | 'webhooks-postgres',
    object
  >
>;
