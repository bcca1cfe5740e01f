/** The parent of elements that belong to no container. A script in the head runs before there is a body. */
export function pageBody(): HTMLElement {
  return document.body ?? document.documentElement;
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] {
  return document.createElement(name);
}

/**
 * Removes `node` in one of two ways, in case the page has replaced the other one. Prototype.js's `remove` needs a
 * parent.
 */
export function detach(node: Element | null | undefined): void {
  runAll(
    () => node?.parentNode?.removeChild(node),
    () => node?.isConnected && node.remove(),
  );
}

/** Runs every step, even if an earlier one throws because the page has replaced what it calls. */
export function runAll(...steps: (() => unknown)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      console.error(error);
    }
  }
}
