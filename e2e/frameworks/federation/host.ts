import { payInModal } from '../loader';

const remote = import('remote/pay') as Promise<{ payInModal: typeof payInModal }>;

function button(label: string, press: () => Promise<string>): void {
  const element = document.createElement('button');
  element.textContent = label;
  const result = document.createElement('output');
  element.addEventListener('click', () => {
    press().then(
      (status) => (result.textContent = status),
      (error: { code: string }) => (result.textContent = error.code),
    );
  });
  document.body.append(element, result);
}

button('Pay in a modal', payInModal);
button('Pay from the remote', async () => (await remote).payInModal());
button('Pay from both', async () => {
  const first = payInModal();
  return Promise.race([(await remote).payInModal(), first]);
});
