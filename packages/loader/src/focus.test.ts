import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { focusedElement, rememberFocus, restoreFocus } from './focus.js';

let button: HTMLButtonElement;

beforeEach(() => {
  vi.useFakeTimers();
  button = document.body.appendChild(document.createElement('button'));
  rememberFocus();
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

it('returns to the pressed button even if disabling it moved the focus', () => {
  const icon = button.appendChild(document.createElement('span'));
  icon.click();
  button.disabled = true;
  expect(document.activeElement).toBe(document.body);
  expect(focusedElement()).toBe(button);
});

it('prefers the focused element over the pressed one', () => {
  button.click();
  const field = document.body.appendChild(document.createElement('input'));
  field.focus();
  expect(focusedElement()).toBe(field);
});

it('waits for a disabled button to be enabled', async () => {
  button.disabled = true;
  vi.spyOn(button, 'focus').mockImplementation(() => {
    if (!button.disabled) HTMLElement.prototype.focus.call(button);
  });
  void restoreFocus(button);
  expect(document.activeElement).toBe(document.body);
  button.disabled = false;
  await vi.advanceTimersByTimeAsync(100);
  expect(document.activeElement).toBe(button);
});

it.each<[string, () => void]>([
  ['the page has moved the focus', () => document.body.appendChild(document.createElement('input')).focus()],
  ['the element is gone', () => button.remove()],
])('does nothing if %s', async (_, act) => {
  act();
  const focused = document.activeElement;
  await restoreFocus(button);
  expect(document.activeElement).toBe(focused);
});

it('gives up after a second', async () => {
  vi.spyOn(button, 'focus').mockImplementation(() => {});
  void restoreFocus(button);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(vi.getTimerCount()).toBe(0);
});
