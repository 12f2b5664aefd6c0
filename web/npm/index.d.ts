/** Options of `load`. */
export interface LoadOptions {
  /** The bytes of engine.wasm; default: the file next to index.mjs. */
  wasmBinary?: ArrayBuffer | Uint8Array;
  /** Receives lines that the engine writes to stderr; default console.warn. */
  warn?: (line: string) => void;
}

/** Loads the engine. One engine serves any number of scenes. */
export function load(options?: LoadOptions): Promise<Engine>;

export interface OpenOptions {
  /** Name of the scene in messages; default "scene". */
  name?: string;
  /** Mesh and skeleton files that the scene uses, by name. */
  files?: Record<string, string | Uint8Array>;
}

export interface Engine {
  /**
   * Loads a scene from JSON, as an object or as text. Throws an Error whose message names the line and the valid
   * values.
   */
  open(json: object | string, options?: OpenOptions): Scene;
}

/** m */
export type Position = [number, number, number];

/**
 * View of arrays of the engine, without a copy. Valid until the next call that steps or changes the scene or opens
 * another, because memory may move. Particle i is at slot[i], or at i if slot is null.
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
  type: string;
  firstParticle: number;
  particles: number;
  firstSpring: number;
  springs: number;
  /** Three particles per triangle, stored consecutively. */
  triangles: number[];
}

/** Stability of a scene: the stability keys of `msd info --json`. Times are in s; null: any is stable. */
export interface StabilityReport {
  /** The longest substep that is proven stable for symplectic Euler. */
  stable_substep: number | null;
  /** Frame time in s, and the fewest substeps per frame that are proven stable; 0: none. */
  frame_time: number;
  substeps: number;
  /** Substeps per frame that a run takes. */
  run_substeps: number;
  /** The spring that sets the limit. */
  limiting_spring: number | null;
  limiting_spring_name: string | null;
  /** Cause of the limit, as one word. */
  cause: string;
  /** The stability paragraph of `msd info`. */
  text: string;
  [key: string]: unknown;
}

export interface Scene {
  readonly particleCount: number;
  /** Includes springs that were cut. */
  readonly springCount: number;
  /** Frame time in s of the scene file. */
  readonly frameTime: number;
  /** Substeps per frame; 0: automatic, the fewest that are proven stable. */
  substeps: number;
  readonly bodies: Body[];

  /** Advances one frame of `frameTime` s; default: that of the scene. Throws if the world would diverge. */
  step(frameTime?: number): void;

  /** m and m/s. */
  readonly positions: View;
  readonly velocities: View;
  /** Copies the positions in the order of the particles: x, y, z of each. */
  readPositions(target?: Float32Array): Float32Array;
  /** Position of a particle in m. */
  position(particle: number): Position;

  /** Hash of the state, 16 hexadecimal digits. Deterministic: equal on every processor for equal calls. */
  readonly hash: string;
  report(): StabilityReport;

  pin(particle: number): void;
  unpin(particle: number): void;
  /** Moves a pinned particle to a target in m during the next frame (kinematic). */
  movePinned(particle: number, position: Position): void;
  /** Pulls one particle to a position in m by a damped spring, until `release`. A pinned particle stays pinned and
   * moves kinematically. */
  drag(particle: number, position: Position): void;
  release(): void;
  cut(spring: number): void;
  isCut(spring: number): boolean;
  /** N/m and N s/m, both >= 0. */
  setSpring(spring: number, law: { stiffness: number; damping?: number }): void;

  /** Frees the memory of the scene; no other call may follow. */
  close(): void;
}
