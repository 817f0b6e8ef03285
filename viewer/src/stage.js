// Camera, lights and the canvas. Knows nothing of recordings.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";

export class Stage {
	constructor(canvas) {
		this.canvas = canvas;
		this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
		this.renderer.shadowMap.enabled = true;
		this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
		this.scene = new THREE.Scene();
		this.scene.background = new THREE.Color(0x23282f);
		const light = new THREE.PMREMGenerator(this.renderer);
		this.scene.environment = light.fromScene(new RoomEnvironment(), 0.04).texture;
		this.scene.environmentIntensity = 0.3;
		this.sun = new THREE.DirectionalLight(0xfff2e0, 1.7);
		this.sun.castShadow = true;
		this.sun.shadow.mapSize.set(2048, 2048);
		this.sun.shadow.bias = -0.0004;
		this.sun.shadow.normalBias = 0.01;
		this.scene.add(this.sun, this.sun.target);
		this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
		this.controls = new OrbitControls(this.camera, canvas);
		this.controls.enableDamping = true;
		this.bounds = new THREE.Sphere(new THREE.Vector3(), 1);
		this.resize();
		addEventListener("resize", () => this.resize());
	}

	resize() {
		const width = this.canvas.clientWidth || 1, height = this.canvas.clientHeight || 1;
		this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
		this.renderer.setSize(width, height, false);
		this.camera.aspect = width / height;
		this.camera.updateProjectionMatrix();
	}

	// The whole of `sphere`, from the side `from` or from the front and a little above. `up` is the axis that points up.
	frame(sphere, up, from = null) {
		this.bounds = sphere.clone();
		this.camera.up.copy(up);
		const front = from?.clone() ?? (up.z > 0.5 ? new THREE.Vector3(0.45, -1, 0.42) : new THREE.Vector3(0.45, 0.42, 1));
		const half = (this.camera.fov * Math.PI) / 360;
		const reach = sphere.radius / Math.sin(Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect)));
		const middle = sphere.center.clone().addScaledVector(up, from ? 0 : -0.3 * sphere.radius); // things end up below
		this.camera.position.copy(middle).addScaledVector(front.normalize(), reach);
		this.camera.near = sphere.radius / 200;
		this.camera.far = sphere.radius * 200;
		this.camera.updateProjectionMatrix();
		this.controls.target.copy(middle);
		this.controls.update();
		const side = up.z > 0.5 ? new THREE.Vector3(0.8, -0.5, 1.6) : new THREE.Vector3(0.8, 1.6, 0.5);
		this.sun.position.copy(sphere.center).addScaledVector(side.normalize(), 4 * sphere.radius);
		this.sun.target.position.copy(sphere.center);
		const shadow = this.sun.shadow.camera;
		shadow.left = shadow.bottom = -1.6 * sphere.radius;
		shadow.right = shadow.top = 1.6 * sphere.radius;
		shadow.near = sphere.radius;
		shadow.far = 8 * sphere.radius;
		shadow.updateProjectionMatrix();
	}

	draw() {
		this.controls.update();
		this.renderer.render(this.scene, this.camera);
	}
}
