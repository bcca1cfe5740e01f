/** Shown without a token, or with the token of a service that has ended. */
import { keepToken } from '../api.js';

export function Locked({ wasRefused }: { wasRefused: boolean }): preact.JSX.Element {
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get('token');
    keepToken(typeof given === 'string' ? given : '');
    location.reload();
  };
  return (
    <form class="panel locked" onSubmit={open}>
      <p>
        {wasRefused
          ? 'The service was restarted, or this address is old. Open the latest address that it printed.'
          : 'Open the address that the service printed when it started. It ends in # and a token.'}
      </p>
      <label>
        Address or token
        <input name="token" type="password" autocomplete="off" required />
      </label>
      <button type="submit" class="main">
        Open
      </button>
    </form>
  );
}
