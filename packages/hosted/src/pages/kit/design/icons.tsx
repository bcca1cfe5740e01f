/** Line icons in the color of the surrounding text, hidden from assistive technology. */
const PATHS = {
  card: 'M3 7.5A2.5 2.5 0 0 1 5.5 5h13A2.5 2.5 0 0 1 21 7.5v9a2.5 2.5 0 0 1-2.5 2.5h-13A2.5 2.5 0 0 1 3 16.5zM3 10h18M7 15h3',
  bank: 'M4 10h16L12 4zM6 10v7M10 10v7M14 10v7M18 10v7M4 20h16M4 17h16',
  alert: 'M12 8v5M12 16.5v.01M12 3l9.5 17h-19z',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  plus: 'M12 5v14M5 12h14',
  back: 'M19 12H5M11 6l-6 6 6 6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7.5V12l3 2',
  mail: 'M3 6.5h18v12H3zM3.5 7l8.5 6 8.5-6',
  more: 'M12 5v.01M12 12v.01M12 19v.01',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
