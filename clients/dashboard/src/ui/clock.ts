// The time that a replay shows, for whatever else marks it: curves and load curves listen, sixty times a second, without
// a page being drawn anew.

export class Clock {
  private listeners = new Set<(time: number) => void>();
  time = 0;

  set(time: number): void {
    this.time = time;
    this.listeners.forEach((tell) => tell(time));
  }

  /** Tells at once and from then on; returns what ends it. */
  watch(tell: (time: number) => void): () => void {
    this.listeners.add(tell);
    tell(this.time);
    return () => this.listeners.delete(tell);
  }
}
