import { PathIcon, Icon, type IconName } from './icons.js';

/** Icons that the payment form doesn't need. */
const MORE = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7.5V12l3 2',
} as const;

export type AnyIconName = IconName | keyof typeof MORE;

export function AnyIcon({ name }: { name: AnyIconName }) {
  return name in MORE ? (
    <PathIcon path={MORE[name as keyof typeof MORE]} />
  ) : (
    <Icon name={name as IconName} />
  );
}
