// The loader's buttons run the payment; this script shows the result. The bill is paid only once the backend has confirmed it
// with the service.
const notice = document.getElementById('notice');

function showNotice(text, role = 'status') {
  notice.role = role;
  notice.textContent = text;
}

async function confirmPayment() {
  showNotice('Confirming your payment…');
  const response = await fetch('/api/payments/confirm', { method: 'POST' }).catch(() => undefined);
  if (response?.ok) location.reload();
  else showNotice('We could not confirm this yet. Reload before you pay again.', 'alert');
}

document.addEventListener('embedded-session:settled', ({ target, detail: { status } }) => {
  // The loader shows failures next to its button.
  if (status === 'failed') return;
  if (status === 'canceled') return showNotice('Nothing was charged.');
  if (status === 'expired') return showNotice('Your session has expired. Please start again.');
  // `completed` or `unknown`: only the service knows.
  if (target.matches('[data-embedded-payment]')) void confirmPayment();
  else location.reload();
});
