// The parts of Vue, Svelte and Angular that examples use.
declare module 'vue' {
  export function shallowRef<T>(value?: T): { value: T | undefined };
}
declare module '@angular/core' {
  export function Component(options: object): (target: unknown, context: ClassDecoratorContext) => void;
  export const CUSTOM_ELEMENTS_SCHEMA: object;
  export function signal<T>(value: T): { (): T; set(value: T): void };
}
declare function $state<T>(value?: T): T;
