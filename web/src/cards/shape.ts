/** The shape of each color, so that nothing is said by hue alone: paths in a box from -1 to 1. */

export type Shape = "circle" | "square" | "triangle" | "diamond" | "star" | "hexagon";

type Point = [number, number];

function polygon(points: Point[], round: number): string {
  // Corners are cut by `round` and joined by curves through the corner.
  const parts = points.map(([x, y], n) => {
    const before = points[(n + points.length - 1) % points.length] as Point;
    const after = points[(n + 1) % points.length] as Point;
    const near = ([tx, ty]: Point): string => {
      const length = Math.hypot(tx - x, ty - y);
      const share = Math.min(0.5, round / length);
      return `${place(x + (tx - x) * share)} ${place(y + (ty - y) * share)}`;
    };
    return `${n ? "L" : "M"}${near(before)}Q${place(x)} ${place(y)} ${near(after)}`;
  });
  return `${parts.join("")}Z`;
}

const place = (value: number): string => String(Math.round(value * 1000) / 1000);

function around(count: number, radius: (n: number) => number, turn: number): Point[] {
  return Array.from({ length: count }, (_, n) => {
    const angle = (2 * Math.PI * n) / count + turn;
    return [radius(n) * Math.cos(angle), radius(n) * Math.sin(angle)];
  });
}

const UP = -Math.PI / 2;
const PATHS: Record<Shape, string> = {
  circle: "M-.94 0A.94.94 0 1 1 .94 0A.94.94 0 1 1-.94 0Z",
  square: polygon([[-0.86, -0.86], [0.86, -0.86], [0.86, 0.86], [-0.86, 0.86]], 0.28),
  triangle: polygon([[0, -1.12], [1.14, 0.84], [-1.14, 0.84]], 0.3),
  diamond: polygon([[0, -1.16], [1, 0], [0, 1.16], [-1, 0]], 0.22),
  star: polygon(around(10, (n) => (n % 2 ? 0.7 : 1.14), UP), 0.16),
  hexagon: polygon(around(6, () => 1.04, UP), 0.2),
};

export function shapePath(shape: Shape): string {
  return PATHS[shape];
}

/** Where the middle of the shape's body is, for a sign to stand in. */
export function shapeMiddle(shape: Shape): number {
  return shape === "triangle" ? 0.22 : 0;
}

/** One of `count` slices of a disc of radius 1, the n-th. */
export function slice(n: number, count: number): string {
  const from = UP + (2 * Math.PI * n) / count;
  const to = UP + (2 * Math.PI * (n + 1)) / count;
  const at = (angle: number): string => `${place(Math.cos(angle))} ${place(Math.sin(angle))}`;
  return `M0 0L${at(from)}A1 1 0 ${count < 2 ? 1 : 0} 1 ${at(to)}Z`;
}

/** The middle of that slice, at a distance from the centre of the disc. */
export function sliceMiddle(n: number, count: number, radius: number): Point {
  const angle = UP + (2 * Math.PI * (n + 0.5)) / count;
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}
