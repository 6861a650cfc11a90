/**
 * Draws one bird as SVG, facing right, its body around the origin. Everything is laid out along the body's axis and then
 * reared up by the tilt; what belongs to the face is turned back so that the bill stays level. Marks are clipped to the
 * outline, so they follow the bird whatever its pose.
 */
import type { Random } from '../linalg/index.js';
import { between, chance, convexHull, ellipsePoints, n, type Point, pick, polygon, smoothOutline } from './geometry.js';
import { type BodyPlan, bodyPlans, css, type Individual, individualOf } from './plumage.js';
import type { Species } from './species.js';

const views = ['perched', 'perched', 'perched', 'turned', 'turned', 'flying'] as const;

export interface Pose {
  readonly view: (typeof views)[number];
  /** Degrees added to the body plan's own. */
  readonly tilt: number;
  /** Degrees by which the face looks up. */
  readonly gaze: number;
  readonly looksBack: boolean;
  /** Of a flying bird's wings: 1 straight up, −1 straight down. */
  readonly beat: number;
}

export function randomPose(random: Random): Pose {
  const view = pick(random, views);
  return {
    view,
    tilt: view === 'flying' ? between(random, -42, -12) : between(random, -12, 12),
    gaze: between(random, -12, 16),
    looksBack: view !== 'flying' && chance(random, 0.15),
    beat: chance(random, 0.7) ? between(random, 0.6, 1) : between(random, -0.9, -0.5),
  };
}

/** @param id keeps the names of clip paths and gradients apart in a picture with several birds */
export function drawBird(species: Species, pose: Pose, random: Random, id: string): string {
  const individual = individualOf(species, random);
  const plan = bodyPlans[species.bodyPlan];
  const bird = new BirdDrawing(species, plan, individual, pose, random, id);
  return bird.svg();
}

class BirdDrawing {
  readonly #long: number;
  readonly #deep: number;
  readonly #head: Point;
  readonly #tilt: number;

  constructor(
    private readonly species: Species,
    private readonly plan: BodyPlan,
    private readonly individual: Individual,
    private readonly pose: Pose,
    private readonly random: Random,
    private readonly id: string,
  ) {
    this.#long = plan.length * (pose.view === 'turned' ? 0.82 : 1);
    this.#deep = plan.depth * individual.plumpness;
    this.#head = [plan.headAt[0] * this.#long, plan.headAt[1] * this.#deep];
    this.#tilt = plan.tilt + pose.tilt;
  }

  svg(): string {
    const { pose } = this;
    const flying = pose.view === 'flying';
    const outline = this.#outline();
    const face = this.#faceTransform();
    const clip = `clip-path="url(#${this.id}o)"`;
    return (
      `<defs><clipPath id="${this.id}o"><path d="${outline}"/></clipPath>` +
      `<linearGradient id="${this.id}s" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".22"/>` +
      '<stop offset=".45" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity=".38"/>' +
      '</linearGradient></defs>' +
      (flying ? '' : this.#legs()) +
      `<g transform="rotate(${n(-this.#tilt)})">` +
      (flying ? this.#spreadWing(true) : '') +
      this.#tail() +
      `<g transform="${face}">${this.#crest()}${this.#bill()}</g>` +
      `<path d="${outline}" fill="${css(this.individual.upper)}"/>` +
      `<g ${clip}>${this.#underside()}${this.#pattern()}${this.#collar()}` +
      `<g transform="${face}">${this.#faceMarks()}</g>${this.#feathers()}` +
      `<path d="${outline}" fill="url(#${this.id}s)"/></g>` +
      `<g transform="${face}">${this.#eye()}</g>` +
      (flying ? this.#spreadWing(false) : this.#foldedWing()) +
      '</g>'
    );
  }

  #outline(): string {
    const body = ellipsePoints(0, 0, this.#long, this.#deep);
    const head = ellipsePoints(...this.#head, this.plan.head, this.plan.head * 0.95);
    const rump: Point = [-this.#long * 1.12, -this.#deep * 0.08];
    return smoothOutline(convexHull([...body, ...head, rump]));
  }

  #faceTransform(): string {
    const level = this.#tilt * 0.92 - this.pose.gaze;
    const back = this.pose.looksBack ? ' scale(-1,1)' : '';
    return `translate(${n(this.#head[0])},${n(this.#head[1])}) rotate(${n(level)})${back}`;
  }

  #tail(): string {
    const { tailLength, tailWidth } = this.plan;
    const long = this.species.shapes.has('long-tailed');
    const length = tailLength * (long ? 2.25 : 1) * this.individual.tailLength;
    const spread = (this.pose.view === 'flying' ? 1.7 : 1) * tailWidth * (long ? 0.85 : 1);
    const start = -this.#long * 0.75;
    const shape = smoothOutline([
      [start, -tailWidth * 0.55],
      [start - length * 0.6, -spread * 0.55],
      [start - length, -spread * 0.5],
      [start - length * 1.03, spread * 0.1],
      [start - length, spread * 0.55],
      [start, tailWidth * 0.6],
    ]);
    const quill = (y: number) => `M${n(start)} ${n(y * tailWidth)}L${n(start - length * 0.95)} ${n(y * spread)}`;
    return (
      `<g transform="rotate(${n(between(this.random, -7, 9))} ${n(start)} 0)">` +
      `<path d="${shape}" fill="${css(this.individual.upper, -10)}"/>` +
      `<path d="${quill(-0.2)}${quill(0.1)}${quill(0.3)}" stroke="#000" stroke-opacity=".25" stroke-width="1" fill="none"/></g>`
    );
  }

  #legs(): string {
    const { legs } = this.plan;
    const foot = (x: number) =>
      `M${n(x)} ${n(this.#deep * 0.6)}l${n(legs * 0.12)} ${n(legs * 0.5 + this.#deep * 0.4)}l${n(-legs * 0.1)} ${n(legs * 0.5)}l9 2m-9 -2l-7 2`;
    return `<path d="${foot(-8)}${foot(7)}" stroke="${css(this.individual.bill, -12)}" stroke-width="2.6" fill="none"/>`;
  }

  #underside(): string {
    const { under, marks } = this.individual;
    const turned = this.pose.view === 'turned' ? 0.25 : 0;
    const belly = `<ellipse cx="${n(this.#long * 0.12)}" cy="${n(this.#deep * (0.72 - turned))}" rx="${n(this.#long * 1.05)}" ry="${n(this.#deep * 0.72)}" fill="${css(under)}"/>`;
    if (!marks.breast) return belly;
    const size = this.individual.markSize;
    return `${belly}<ellipse cx="${n(this.#long * 0.5)}" cy="${n(this.#deep * (0.42 - turned))}" rx="${n(this.#long * 0.66 * size)}" ry="${n(this.#deep * 0.82 * size)}" fill="${css(marks.breast)}"/>`;
  }

  /** Spots or bars over breast and flank. */
  #pattern(): string {
    const { species, random, individual } = this;
    const turned = this.pose.view === 'turned' ? 0.2 : 0;
    if (species.shapes.has('spotted')) {
      const spots = Array.from({ length: 34 }, (_, i) => {
        const along = this.#long * (-0.45 + (i % 9) * 0.165 + between(random, -0.05, 0.05));
        const down = this.#deep * (0.02 - turned + Math.floor(i / 9) * 0.27 + between(random, -0.07, 0.07));
        return `<circle cx="${n(along)}" cy="${n(down)}" r="${n(between(random, 2.1, 3.4) * individual.markSize)}"/>`;
      });
      return `<g fill="#241a12" fill-opacity=".88">${spots.join('')}</g>`;
    }
    if (species.shapes.has('barred')) {
      const bars = Array.from({ length: 9 }, (_, i) => {
        const x = this.#long * (-0.5 + i * 0.17 + between(random, -0.02, 0.02));
        return `M${n(x)} ${n(-this.#deep * (0.05 + turned))}q${n(7 * individual.markSize)} ${n(this.#deep * 0.5)} 0 ${n(this.#deep * 1.1)}`;
      });
      return `<path d="${bars.join('')}" stroke="#241a12" stroke-opacity=".85" stroke-width="${n(3.2 * individual.markSize)}" fill="none"/>`;
    }
    return '';
  }

  #collar(): string {
    if (!this.species.shapes.has('collared')) return '';
    // Across the neck: at right angles to the line from the body to the head.
    const [hx, hy] = this.#head;
    const distance = Math.hypot(hx, hy);
    const [ux, uy] = [hx / distance, hy / distance];
    const middle: Point = [hx - ux * this.plan.head * 0.92, hy - uy * this.plan.head * 0.92];
    const reach = this.#deep * 1.3;
    const from: Point = [middle[0] - uy * reach, middle[1] + ux * reach];
    const to: Point = [middle[0] + uy * reach, middle[1] - ux * reach];
    return `<path d="M${from.map(n).join(' ')}Q${[middle[0] - ux * 9, middle[1] - uy * 9].map(n).join(' ')} ${to.map(n).join(' ')}" stroke="#f4f0e6" stroke-width="${n(9 * this.individual.markSize)}" fill="none"/>`;
  }

  #faceMarks(): string {
    const { marks, markSize, upper } = this.individual;
    const r = this.plan.head;
    const ellipse = (cx: number, cy: number, rx: number, ry: number, fill: string) =>
      `<ellipse cx="${n(cx * r)}" cy="${n(cy * r)}" rx="${n(rx * r)}" ry="${n(ry * r)}" fill="${fill}"/>`;
    return (
      ellipse(0.45, 0.5, 0.6, 0.35, css(upper, 9)) +
      (marks.throat ? ellipse(0.42, 0.98, 0.86 * markSize, 0.72 * markSize, css(marks.throat)) : '') +
      (marks.cap ? ellipse(-0.15, -0.72, 1.1, 0.56 * markSize, css(marks.cap)) : '') +
      (this.species.shapes.has('masked') ? ellipse(0.2, -0.05, 1.1, 0.3 * markSize, '#15110e') : '')
    );
  }

  #crest(): string {
    if (!this.species.shapes.has('crested')) return '';
    const r = this.plan.head * this.individual.markSize;
    const plume = (tip: Point, width: number) =>
      polygon([
        [0.3 * r, -0.75 * r],
        [tip[0] * r, tip[1] * r],
        [-0.85 * r, (-0.35 + width) * r],
      ]);
    const lift = between(this.random, -0.15, 0.2);
    const fill = css(this.individual.marks.cap ?? this.individual.upper, -4);
    return `<path d="${plume([-1.45, -1.5 - lift], 0)}${plume([-1.0, -1.85 - lift], -0.1)}${plume([-1.7, -1.05 - lift], 0.1)}" fill="${fill}"/>`;
  }

  #bill(): string {
    const { billDepth, head } = this.plan;
    const billLength = this.plan.billLength * this.individual.billLength;
    const base = head * 0.82;
    const half = billDepth / 2;
    const y = head * 0.12;
    const upper = `M${n(base)} ${n(y - half)}Q${n(base + billLength * 0.7)} ${n(y - half * 0.9)} ${n(base + billLength + 4)} ${n(y + half * 0.35)}L${n(base)} ${n(y + half * 0.2)}Z`;
    const lower = `M${n(base)} ${n(y + half * 0.2)}L${n(base + billLength * 0.95)} ${n(y + half * 0.4)}L${n(base)} ${n(y + half)}Z`;
    return `<path d="${upper}" fill="${css(this.individual.bill)}"/><path d="${lower}" fill="${css(this.individual.bill, -9)}"/>`;
  }

  #eye(): string {
    const r = this.plan.head;
    const [x, y, size] = [r * 0.38, -r * 0.1, r * 0.17];
    return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(size * 1.25)}" fill="#d8cdb4" fill-opacity=".55"/><circle cx="${n(x)}" cy="${n(y)}" r="${n(size)}" fill="#120d0a"/><circle cx="${n(x + size * 0.3)}" cy="${n(y - size * 0.35)}" r="${n(size * 0.32)}" fill="#fff"/>`;
  }

  /** Short strokes along the body, so that plumage does not look like plastic. */
  #feathers(): string {
    const strokes = Array.from({ length: 46 }, () => {
      const x = this.#long * between(this.random, -1, 1.2);
      const y = this.#deep * between(this.random, -1.3, 0.95);
      return `M${n(x)} ${n(y)}q-3 1.5 -6 1`;
    });
    return `<path d="${strokes.join('')}" stroke="#000" stroke-opacity=".16" stroke-width="1" fill="none"/>`;
  }

  #foldedWing(): string {
    const [a, b] = [this.#long, this.#deep];
    const back = this.pose.view === 'turned' ? -0.16 : 0;
    const tip: Point = [-a * 1.22, b * 0.02];
    const shape = smoothOutline([
      [a * (0.5 + back), -b * 0.42],
      [a * (0.52 + back), b * 0.02],
      [a * (0.05 + back), b * (0.46 + back)],
      [-a * 0.6, b * 0.34],
      tip,
      [-a * 0.62, -b * 0.44],
      [a * 0.05, -b * 0.7],
    ]);
    const colour = this.individual.marks.wing;
    const fill = colour ? css(colour) : css(this.individual.upper, -6);
    const edge = (t: number) =>
      `M${n(a * (0.3 + back - t * 0.25))} ${n(b * (0.3 + back * 0.6 - t * 0.12))}Q${n(-a * 0.35)} ${n(b * (0.42 - t * 0.3))} ${n(tip[0] * 0.93)} ${n(tip[1] - t * 2)}`;
    return (
      `<path d="${shape}" fill="${fill}"/>` +
      `<path d="${polygon([[-a * 0.55, b * 0.3], tip, [-a * 0.6, -b * 0.12]])}" fill="#1a1512" fill-opacity=".55"/>` +
      `<path d="${[0, 0.7, 1.4, 2.1].map(edge).join('')}" stroke="#000" stroke-opacity=".3" stroke-width="1.3" fill="none"/>`
    );
  }

  /** A wing in the air: coverts and a fringe of flight feathers. */
  #spreadWing(far: boolean): string {
    const [a, b] = [this.#long, this.#deep];
    const { beat } = this.pose;
    const span = a * 2.2 * beat * (far ? 0.82 : 1);
    const lean = a * (far ? 0.55 : 0.1);
    const root = b * (beat > 0 ? -0.45 : 0.1);
    const fingers = Array.from({ length: 6 }, (_, i): Point[] => {
      const t = i / 5;
      const x = lean - a * (0.2 + 0.75 * t);
      const y = root - span * (1 - 0.72 * t);
      return [
        [x, y],
        [x + a * 0.04, y + span * 0.13],
      ];
    }).flat();
    const shape = polygon([[a * 0.45, root], [lean + a * 0.32, root - span * 0.62], ...fingers, [-a * 0.6, root]]);
    const inner = polygon([
      [a * 0.42, root],
      [lean + a * 0.26, root - span * 0.6],
      [lean - a * 0.35, root - span * 0.5],
      [-a * 0.5, root],
    ]);
    const colour = this.individual.marks.wing ?? this.individual.upper;
    const darker = far ? -12 : 0;
    return `<path d="${shape}" fill="${css(colour, darker - (this.individual.marks.wing ? 4 : 12))}" stroke="#000" stroke-opacity=".25"/><path d="${inner}" fill="${css(colour, darker)}"/>`;
  }
}
