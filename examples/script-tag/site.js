// The loader's buttons run the payment; this script shows the result. The bill is paid only once the backend has confirmed it
// with the service.
const notice = document.getElementById('notice');

function showNotice(text, kind = '') {
  notice.className = `notice ${kind}`;
  notice.role = kind === 'notice--bad' ? 'alert' : 'status';
  notice.textContent = text;
}

async function post(url) {
  const response = await fetch(url, { method: 'POST' });
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
}

const show = {
  canceled: () => showNotice('Nothing was charged.'),
  expired: () => showNotice('Your session has expired. Please start again.'),
  // The loader shows failures next to its button. For mixed-up environments, add the details for the developer.
  failed: ({ error }) => error.code === 'environment_mismatch' && showNotice(error.message, 'notice--bad'),
};

document.addEventListener('embedded-session:settled', ({ target, detail: result }) => {
  if (result.status in show) return show[result.status](result);
  if (!target.closest('[data-embedded-payment]')) return location.reload();
  showNotice('Confirming your payment…');
  post('/api/payments/confirm').then(
    () => location.reload(),
    () =>
      showNotice('We could not confirm this yet. Reload in a moment before you pay again.', 'notice--bad'),
  );
});

for (const form of document.querySelectorAll('form[data-post]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    post(form.action).then(
      () => location.reload(),
      () => showNotice('Something went wrong. Please try again.', 'notice--bad'),
    );
  });
