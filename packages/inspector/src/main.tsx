/** The inspector's page: takes its token out of the address, follows the service's events, and draws. */
import { render } from 'preact';
import { followLinks } from './address.js';
import { App } from './app.js';
import './inspector.css';
import { follow } from './live.js';
import { takeToken, token } from './token.js';

takeToken();
// Another address with a token, pasted into a tab that is open already.
addEventListener('hashchange', () => {
  takeToken();
  location.reload();
});
followLinks();
if (token() !== '') void follow();
render(<App />, document.querySelector('#inspector')!);
