/** `unseen`: no frame yet. `hidden`: the frame was visible, and is hidden now. */
export type Visibility = 'unseen' | 'shown' | 'hidden' | 'gone';

/** Minimum interval between scans after the call. They visit each element of the page. */
const SCAN_MS = 1_200;

// How certainly a frame belongs to the flow.
const IS_NEW = 1;
const HAS_SESSION_ORIGIN = 2;
const IN_CONTAINER = 3;

const isShown = (element: HTMLElement): boolean =>
  element.offsetHeight > 0 &&
  (element.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true }) ?? true);

/** The frames below `root`, also in open shadow roots. */
function* framesIn(root: ParentNode): Generator<HTMLIFrameElement> {
  for (const element of root.querySelectorAll('*')) {
    if (element instanceof HTMLIFrameElement) yield element;
    if (element.shadowRoot) yield* framesIn(element.shadowRoot);
  }
}

/**
 * Finds and watches the frame of one flow, anywhere but in a closed shadow root. Create it before the SDK is called,
 * then call `look(true)` right after the call.
 */
export class FrameWatch {
  readonly #origin: string;
  readonly #container: HTMLElement | undefined;
  /** Frames that were on the page before the call. */
  readonly #earlier: ReadonlySet<HTMLIFrameElement>;
  /** Frames that don't belong to the flow. Earlier hidden ones may: an SDK may hide its own frame and show it again. */
  readonly #foreign: Set<HTMLIFrameElement>;
  #scannedAt = 0;
  #frame: HTMLIFrameElement | undefined;
  #certainty = 0;
  #wasShown = false;

  constructor(origin: string, container: HTMLElement | undefined) {
    this.#origin = origin;
    this.#container = container;
    this.#earlier = new Set(this.#frames(true));
    this.#foreign = new Set([...this.#earlier].filter(isShown));
  }

  /** Returns what is visible of the flow now. */
  look(isFirst = false): Visibility {
    const container = this.#container;
    if (!this.#isFound) this.#search(isFirst);
    if (container?.isConnected === false || this.#frame?.isConnected === false) return 'gone';
    if (!this.#frame) return 'unseen';

    const shown = isShown(this.#frame);
    this.#wasShown ||= shown;
    // The page may hide the container, which says nothing about the flow.
    return shown || !this.#wasShown || (container && !isShown(container)) ? 'shown' : 'hidden';
  }

  /** Whether the flow's frame is certain and was visible. Then no other frame replaces it. */
  get #isFound(): boolean {
    return this.#certainty > IS_NEW && this.#wasShown && !!this.#frame?.isConnected;
  }

  #search(isFirst: boolean): void {
    for (const frame of this.#frames(isFirst)) {
      const certainty = this.#certaintyOf(frame, isFirst);
      if (!certainty) continue;

      const isReplaceable = !this.#frame?.isConnected || !this.#wasShown;
      if (certainty > this.#certainty || (certainty === this.#certainty && isReplaceable)) {
        this.#frame = frame;
        this.#certainty = certainty;
        this.#wasShown = false;
      } else if (certainty === IS_NEW && frame !== this.#frame) this.#foreign.add(frame);
    }
  }

  #certaintyOf(frame: HTMLIFrameElement, isFirst: boolean): number {
    if (this.#container?.contains(frame)) return IN_CONTAINER;

    // A frame that is added later and hidden is likely an analytics script's.
    const isNew = isShown(frame) || (isFirst && !this.#earlier.has(frame));
    if (this.#foreign.has(frame) || !isNew) return 0;
    return frame.src.startsWith(`${this.#origin}/`) ? HAS_SESSION_ORIGIN : IS_NEW;
  }

  /** The frames on the page. Finds those in shadow roots only by a scan. */
  #frames(mustScan: boolean): HTMLIFrameElement[] {
    const container = this.#container;
    if (!mustScan && Date.now() - this.#scannedAt < SCAN_MS)
      return [document, container].flatMap((root) => [...(root?.getElementsByTagName('iframe') ?? [])]);

    this.#scannedAt = Date.now();
    const root = (container?.getRootNode() ?? document) as ParentNode;
    // A scan of the page does not reach a container in a closed shadow root.
    return [...framesIn(document), ...(root === document ? [] : framesIn(root))];
  }
}
