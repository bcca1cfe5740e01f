import { createLoader } from '@embedded-sessions/loader';

const loader = createLoader({
  environment: 'staging',
  loaderUrl: 'https://staging.pay.example/app/embedded.loader.js',
});
const button = document.createElement('button');
button.textContent = 'Pay in a modal';
const result = document.createElement('output');
button.addEventListener('click', () => {
  Promise.all([fetch('/pay', { method: 'POST' }).then((response) => response.json()), loader.load()])
    .then(([session, service]) => service.completePayment(session))
    .then(({ status }) => (result.textContent = status));
});
document.body.append(button, result);
