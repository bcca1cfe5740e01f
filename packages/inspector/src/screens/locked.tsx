/** Shown without a token, or with the token of a service that has ended. */
export function Locked({ wasRefused }: { wasRefused: boolean }): preact.JSX.Element {
  return (
    <p class="nothing">
      {wasRefused
        ? 'The service was restarted, or this address is old. Open the latest address that it printed.'
        : 'Open the address that the service printed when it started. It ends in # and a token.'}
    </p>
  );
}
