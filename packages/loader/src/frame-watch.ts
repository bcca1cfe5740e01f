/** `unseen`: no frame yet. `hidden`: the frame was visible, and is hidden now. */
export type Visibility = 'unseen' | 'shown' | 'hidden' | 'gone';

/** Minimum interval between scans, which visit each element of the page. */
const SCAN_MS = 1_000;

// How certainly a frame belongs to the flow.
const ADDED_LATER = 1;
const ADDED_BY_CALL = 2;
const HAS_SESSION_ORIGIN = 3;
const IN_CONTAINER = 4;

const isShown = (element: HTMLElement): boolean =>
  element.offsetHeight > 0 &&
  (element.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true }) ?? true);

/**
 * Finds and watches the frame of one flow, anywhere but in a closed shadow root. Create it before the SDK is called,
 * then call `look(true)` right after the call.
 */
export class FrameWatch {
  readonly #origin: string;
  readonly #container: HTMLElement | undefined;
  readonly #frames = new Set<HTMLIFrameElement>();
  readonly #observer: MutationObserver;
  #scannedAt = 0;
  /** Frames that were on the page before the call, visible or not. */
  readonly #earlier: ReadonlySet<HTMLIFrameElement>;
  /** Frames that don't belong to the flow. Hidden ones may: an SDK may hide its own frame and show it again. */
  readonly #foreign: Set<HTMLIFrameElement>;
  #frame: HTMLIFrameElement | undefined;
  #certainty = 0;
  #wasShown = false;

  constructor(origin: string, container: HTMLElement | undefined) {
    this.#origin = origin;
    this.#container = container;
    this.#observer = new MutationObserver((records) => this.#collect(records));
    this.#scan();
    this.#earlier = new Set(this.#frames);
    this.#foreign = new Set([...this.#frames].filter(isShown));
  }

  stop(): void {
    this.#observer.disconnect();
  }

  /** Returns what is visible of the flow now. */
  look(isFirst = false): Visibility {
    this.#collect(this.#observer.takeRecords());
    // Attaching a shadow root causes no mutation record.
    if (!this.#isFound && Date.now() - this.#scannedAt >= SCAN_MS) this.#scan();

    const container = this.#container;
    for (const frame of this.#frames) this.#consider(frame, isFirst);
    if (container?.isConnected === false || this.#frame?.isConnected === false) return 'gone';
    if (!this.#frame) return 'unseen';

    const shown = isShown(this.#frame);
    this.#wasShown ||= shown;
    // The page may hide the container, which says nothing about the flow.
    return shown || !this.#wasShown || (container && !isShown(container)) ? 'shown' : 'hidden';
  }

  /** Whether the flow's frame is certain and was visible. Then no other frame replaces it. */
  get #isFound(): boolean {
    return this.#certainty > ADDED_BY_CALL && this.#wasShown && !!this.#frame?.isConnected;
  }

  #consider(frame: HTMLIFrameElement, isFirst: boolean): void {
    const isInside = !!this.#container?.contains(frame);
    if (this.#isFound && !isInside) return;
    if (!frame.isConnected) return void this.#frames.delete(frame);

    const shown = isShown(frame);
    const isForeign = this.#foreign.has(frame) || (this.#earlier.has(frame) && !shown);
    if (frame === this.#frame || (!isInside && isForeign)) return;

    const certainty = this.#certaintyOf(frame, isInside, isFirst);
    // A frame that is added later and hidden is likely an analytics script's.
    if (certainty === ADDED_LATER && !shown) return;

    const isReplaceable = !this.#frame?.isConnected || (!this.#wasShown && shown);
    if (certainty > this.#certainty || (certainty === this.#certainty && isReplaceable)) {
      this.#frame = frame;
      this.#certainty = certainty;
      this.#wasShown = false;
    } else if (certainty === ADDED_LATER) this.#foreign.add(frame);
  }

  #certaintyOf(frame: HTMLIFrameElement, isInside: boolean, isFirst: boolean): number {
    if (isInside) return IN_CONTAINER;
    if (frame.src.startsWith(`${this.#origin}/`)) return HAS_SESSION_ORIGIN;
    return isFirst ? ADDED_BY_CALL : ADDED_LATER;
  }

  #scan(): void {
    this.#scannedAt = Date.now();
    this.#search(document);
    // A search of the page does not reach a container in a closed shadow root.
    if (this.#container) this.#search(this.#container.getRootNode() as ParentNode);
  }

  /** Adds the frames below `root`, and observes `root` if nothing above it does. */
  #search(root: ParentNode): void {
    if (!(root instanceof Element)) this.#observer.observe(root, { childList: true, subtree: true });
    for (const element of root.querySelectorAll<HTMLElement>('*')) this.#visit(element);
  }

  #visit(element: HTMLElement): void {
    if (element.localName === 'iframe') this.#frames.add(element as HTMLIFrameElement);
    else if (element.shadowRoot) this.#search(element.shadowRoot);
  }

  #collect(records: readonly MutationRecord[]): void {
    for (const { addedNodes } of records)
      for (const node of addedNodes)
        if (node instanceof HTMLElement && node.isConnected) {
          this.#visit(node);
          this.#search(node);
        }
  }
}
