import { Icon } from './icons.js';

export function Privacy({ text }: { text: string }) {
  return (
    <p class="privacy">
      <Icon name="lock" />
      <span>{text}</span>
    </p>
  );
}
