/** The inspector's entry point: reads the token from the address, follows events, and renders. */
import { render } from 'preact';
import { followLinks } from './address.js';
import { App } from './app.js';
import './inspector.css';
import { follow } from './live.js';
import { takeToken, token } from './api.js';

takeToken();
// Someone may paste a new address with a token into an open tab.
addEventListener('hashchange', () => {
  takeToken();
  location.reload();
});
followLinks();
if (token() !== '') void follow();
render(<App />, document.querySelector('#inspector')!);
