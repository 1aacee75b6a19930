/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The columns of a payload: varints or JSON, by name. A payload may be damaged or come from anybody, so a column must
 * be used up to its last byte, and each number must be below a bound. Anything else is refused by throwing a Refusal
 * with a sentence that names the column.
 *
 * Each file of this folder adds to one namespace, `rwalker`, and does nothing else until the page has loaded.
 */
(function (rwalker) {
	'use strict';

	const LAST_SCALE = 2 ** 49; /* of the last group of 7 bits in a number below 2^53 */

	class Refusal extends Error {}

	/* Fills `result` with numbers below 2^28, like almost all. Returns bytes used, or -1, and the largest number. */
	function readSmall(bytes, result) {
		let at = 0,
			largest = 0;

		for (let i = 0; i < result.length; i++) {
			let byte = bytes[at++],
				value = byte & 127;

			for (let shift = 7; byte > 127; shift += 7) {
				if (shift > 21) return {at: -1, largest};
				byte = bytes[at++];
				value |= (byte & 127) << shift;
			}
			if (value > largest) largest = value;
			result[i] = value;
		}
		return {at, largest};
	}

	/* The same for any numbers. */
	function readVarints(bytes, result) {
		let at = 0,
			largest = 0;

		for (let i = 0; i < result.length; i++) {
			let byte = bytes[at++],
				value = byte & 127,
				scale = 128;

			while (byte > 127) {
				if (scale > LAST_SCALE) return {at: -1, largest: Infinity};
				byte = bytes[at++];
				value += (byte & 127) * scale;
				scale *= 128;
			}
			if (value > largest) largest = value;
			result[i] = value;
		}
		return {at, largest};
	}

	function undoZigzag(values) {
		for (let i = 0; i < values.length; i++)
			values[i] = values[i] % 2 ? -(values[i] + 1) / 2 : values[i] / 2;
	}

	/* The smallest array that holds numbers below `bound`. */
	function arrayFor(bound, count) {
		if (bound <= 256) return new Uint8Array(count);
		if (bound <= 65536) return new Uint16Array(count);
		return bound <= 2 ** 32 ? new Uint32Array(count) : new Float64Array(count);
	}

	class Columns {
		/* `places`: name -> [offset, bytes, count] within `bytes`. */
		constructor(bytes, places) {
			this.bytes = bytes;
			this.places = places;
			this.room = new Uint32Array(0); /* for a column at a time */
		}

		count(name) {
			return this.place(name)[2];
		}

		place(name) {
			const place = Object.hasOwn(this.places, name) ? this.places[name] : [0, 0, 0];
			const sound =
				Array.isArray(place) &&
				place.length === 3 &&
				place.every(value => Number.isSafeInteger(value) && value >= 0) &&
				place[0] + place[1] <= this.bytes.length;

			if (!sound) throw new Refusal(`column '${name}' is outside of the payload`);
			return place;
		}

		part(name) {
			const [offset, length] = this.place(name);

			return this.bytes.subarray(offset, offset + length);
		}

		/* Reads into a part of `room` if all numbers are small, else into a Float64Array. */
		read(name, bound) {
			const part = this.part(name),
				count = this.countChecked(name);

			if (this.room.length < count) this.room = new Uint32Array(count);
			let result = this.room.subarray(0, count),
				{at, largest} = readSmall(part, result);

			if (at < 0) {
				result = new Float64Array(count);
				({at, largest} = readVarints(part, result));
			}
			if (at !== part.length)
				throw new Refusal(`column '${name}' does not end with its last number`);
			if (result.length && largest >= bound)
				throw new Refusal(`column '${name}' has a number that is too large`);
			return result;
		}

		/* Each number takes at least a byte, so a count cannot make the page allocate more than it has. */
		countChecked(name) {
			const [, length, count] = this.place(name);

			if (count > length)
				throw new Refusal(`column '${name}' has fewer numbers than it says`);
			return count;
		}

		/* Numbers below `bound`, in the smallest array that holds them. */
		numbers(name, bound) {
			const values = this.read(name, bound),
				result = arrayFor(bound, values.length);

			result.set(values);
			return result;
		}

		/* Durations and the like: mostly below 2^32, and then half as large in memory. */
		amounts(name) {
			return this.read(name, Number.MAX_SAFE_INTEGER).slice();
		}

		signed(name) {
			const values = new Float64Array(this.read(name, Number.MAX_SAFE_INTEGER));

			undoZigzag(values);
			return values;
		}

		json(name) {
			const part = this.part(name);

			if (!part.length) return [];
			try {
				return JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(part));
			} catch {
				throw new Refusal(`column '${name}' is not JSON`);
			}
		}

		/* The columns of a table must have the same length. */
		same(names) {
			const count = this.count(names[0]);

			for (const name of names)
				if (this.count(name) !== count)
					throw new Refusal(`column '${name}' does not fit '${names[0]}'`);
			return count;
		}
	}

	Object.assign(rwalker, {Columns, Refusal, arrayFor});
})((globalThis.rwalker ??= {}));
