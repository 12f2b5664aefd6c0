/** What `load` may be told. */
export interface LoadOptions {
  /** The bytes of engine.wasm, where they are not to be read from beside index.mjs. */
  wasmBinary?: ArrayBuffer | Uint8Array;
  /** Gets what the engine says on stderr; default console.warn. */
  warn?: (line: string) => void;
}

/** Loads the engine. Once is enough for any number of scenes. */
export function load(options?: LoadOptions): Promise<Engine>;

export interface OpenOptions {
  /** What messages call the scene; default "scene". */
  name?: string;
  /** The meshes and figures that the scene names, by their names. */
  files?: Record<string, string | Uint8Array>;
}

export interface Engine {
  /**
   * A scene from its JSON, as an object or as text. Throws an Error with the message of the loader, which names the
   * line and what would be right.
   */
  open(json: object | string, options?: OpenOptions): Scene;
}

export type Point = [number, number, number];

/**
 * The arrays of the engine itself, without a copy. Valid until the next call that steps or changes the scene or opens
 * another: memory may move. Particle i is at slot[i], or at i where slot is null.
 */
export interface View {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
  readonly slot: Int32Array | null;
  readonly count: number;
}

export interface Body {
  name: string;
  /** "cloth", "rope", "mesh", "block" ... */
  kind: string;
  firstParticle: number;
  particles: number;
  firstSpring: number;
  springs: number;
  /** Three particles each, one behind the other. */
  triangles: number[];
}

/** What is certified of a scene; all keys of `msd info --json` about stability. Times in s; null: any. */
export interface StabilityReport {
  /** The largest step that symplectic Euler is certified for. */
  stable_time_step: number | null;
  /** s of a frame, and the fewest substeps of it that are certified; 0: none. */
  time_step: number;
  substeps: number;
  /** What a run takes of them. */
  run_substeps: number;
  /** The spring that sets the limit. */
  limiting_spring: number | null;
  limiting_spring_name: string | null;
  /** Why: a word. */
  cause: string;
  /** The paragraph of `msd info`. */
  text: string;
  [key: string]: unknown;
}

export interface Scene {
  readonly particleCount: number;
  /** Those that were cut included. */
  readonly springCount: number;
  /** s of a frame, as the scene file has it. */
  readonly timeStep: number;
  /** Substeps of a frame; 0: the fewest that are certified. */
  substeps: number;
  readonly bodies: Body[];

  /** One frame, of `timeStep` s where it is not the scene's own. Throws where the world would diverge. */
  step(timeStep?: number): void;

  /** m and m/s. */
  readonly positions: View;
  readonly velocities: View;
  /** A copy in the order of the particles: x, y, z of each. */
  readPositions(target?: Float32Array): Float32Array;
  position(particle: number): Point;

  /** The state as 16 hexadecimal digits: the same on every processor for the same calls. */
  readonly hash: string;
  report(): StabilityReport;

  pin(particle: number): void;
  unpin(particle: number): void;
  /** Leads a pinned particle to a point in m during the next step. */
  movePinned(particle: number, point: Point): void;
  /** Pulls one particle to a point in m by a damped spring, until `release`; pins stay pinned and are led. */
  drag(particle: number, point: Point): void;
  release(): void;
  cut(spring: number): void;
  isCut(spring: number): boolean;
  /** N/m and N s/m, both >= 0. */
  setSpring(spring: number, law: { stiffness: number; damping?: number }): void;

  /** Frees its memory; no other call may follow. */
  close(): void;
}
