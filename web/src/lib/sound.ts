/** Small sounds made on the spot; off unless asked for, never needed. */

import type { GameEvent } from "../net/frames";

let context: AudioContext | null = null;

function tone(pitch: number, length: number, wait = 0, kind: OscillatorType = "sine"): void {
  context ??= new AudioContext();
  const start = context.currentTime + wait;
  const voice = new OscillatorNode(context, { type: kind, frequency: pitch });
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.linearRampToValueAtTime(0.12, start + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  voice.connect(volume).connect(context.destination);
  voice.start(start);
  voice.stop(start + length);
}

const SOUNDS: Record<string, () => void> = {
  play: () => tone(330, 0.09, 0, "triangle"),
  draw: () => tone(196, 0.07, 0, "triangle"),
  call: () => [523, 659, 784].forEach((pitch, n) => tone(pitch, 0.16, n * 0.09)),
  catch: () => [392, 262].forEach((pitch, n) => tone(pitch, 0.2, n * 0.12)),
  challenge: () => [294, 370, 294].forEach((pitch, n) => tone(pitch, 0.14, n * 0.1)),
  win_round: () => [523, 659, 784, 1047].forEach((pitch, n) => tone(pitch, 0.25, n * 0.12)),
};

export function play(events: GameEvent[], me: number | null): void {
  const heard = new Set(events.map((event) => event.what));
  for (const what of heard) SOUNDS[what]?.();
  if (events.some((event) => event.what === "skip" && event.seat === me)) tone(147, 0.2);
}
